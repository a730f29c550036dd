"""Faults other than kills."""


def run(place):
    pass
