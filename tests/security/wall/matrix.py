"""The page that compares walls, from the rows of a run."""


def page(selected, rows, unable, arguments, day):
    columns = sorted({(wall, user) for _, wall, user in rows},
                     key=lambda pair: (("paddock", "bwrap", "srt", "none").index(pair[0]), pair[1] != "root"))
    names = [one for one in selected if one.name not in unable]
    text = ["# The process wall and its peers", "",
            f"Written by `tests/run_wall.py {' '.join(arguments)}` on {day}.", ""]
    return "\n".join(text + summary(names, rows, columns) + details(names, rows, columns)) + "\n"


def summary(names, rows, columns):
    return []


def details(names, rows, columns):
    return []
