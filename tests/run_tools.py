#!/usr/bin/env python3
"""Checks what `paddock tools` prints: every schema is valid JSON Schema 2020-12 and closed, every default and every result's
shape follows its own schema, every format has what its API asks for, and mistakes are answered with their remedy.

    run_tools.py [--paddock FILE]

The last line is "N passed, N failed, N skipped".
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EIGHT = ["sandbox_create", "sandbox_exec", "sandbox_read_file", "sandbox_write_file", "sandbox_upload", "sandbox_download", "sandbox_list", "sandbox_manage"]
MORE = ["bash", "sandbox_process_start", "sandbox_process_read", "sandbox_process_write", "sandbox_process_signal", "sandbox_process_wait", "sandbox_edit_file",
        "sandbox_list_files", "sandbox_search", "sandbox_snapshot", "sandbox_fork", "sandbox_diff", "read_file", "write_file", "edit_file", "list_directory",
        "grep_files", "delete_file", "stat_file", "kv_store"]
CASES = []


def case(function):
    CASES.append(function)
    return function


class Paddock:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments, status=0, **environment):
        done = subprocess.run([self.program, "tools", *arguments], capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == status, f"status {done.returncode}: {done.stderr}"
        return done.stdout if status == 0 else done.stderr

    def document(self, *arguments):
        return json.loads(self.run(*arguments))


def objects_of(schema):
    """Every schema of an object within a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" or schema.get("type") == ["object", "null"]:
            yield schema
        for value in schema.values():
            yield from objects_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects_of(value)


@case
def every_tool_of_the_list_is_there(paddock):
    names = [tool["name"] for tool in paddock.document("--json")["tools"]]
    assert sorted(names) == sorted(EIGHT + MORE), set(names) ^ set(EIGHT + MORE)


@case
def schemas_are_valid_closed_and_their_defaults_fit(paddock):
    import jsonschema

    for tool in paddock.document("--json")["tools"]:
        for key in ("input_schema", "output_schema"):
            schema = tool[key]
            jsonschema.Draft202012Validator.check_schema(schema)
            for each in objects_of(schema):
                assert "additionalProperties" in each, (tool["name"], key, each)
                if "properties" in each:
                    assert each["additionalProperties"] is False, (tool["name"], key)
                for name, member in each.get("properties", {}).items():
                    assert member.get("description"), (tool["name"], name)
                    if "default" in member:
                        jsonschema.validate(member["default"], member, jsonschema.Draft202012Validator)
        required = tool["input_schema"].get("required", [])
        assert all("default" not in tool["input_schema"]["properties"][name] for name in required), tool["name"]


@case
def configurations_have_schemas_that_their_own_values_fit(paddock):
    import jsonschema

    for capability in paddock.document("--json", "-c", 'sandbox={"memory_limit": "64m", "env": {"A": "b"}}', "-c", "bashkit_shell")["capabilities"]:
        jsonschema.Draft202012Validator.check_schema(capability["config_schema"])
        jsonschema.validate(capability["config"], capability["config_schema"], jsonschema.Draft202012Validator)


@case
def formats_have_the_shape_of_their_apis(paddock):
    anthropic = paddock.document("--format", "anthropic")
    assert all(set(tool) == {"name", "description", "input_schema"} and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]) for tool in anthropic["tools"])
    openai = paddock.document("--format", "openai", "--json")
    assert all(tool["type"] == "function" and tool["strict"] is False and tool["parameters"]["type"] == "object" for tool in openai["tools"])
    mcp = paddock.document("--format", "mcp", "--json")
    for tool in mcp["tools"]:
        assert set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
        assert tool["outputSchema"]["type"] == "object"
        assert set(tool["annotations"]) == {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert not (tool["annotations"]["readOnlyHint"] and tool["annotations"]["destructiveHint"]), tool["name"]
    assert anthropic["system"] == openai["instructions"] == mcp["instructions"]
    assert [tool["name"] for tool in mcp["tools"]] == [tool["name"] for tool in anthropic["tools"]], "the order is one"


@case
def the_open_world_is_that_of_the_network(paddock):
    def hint(*arguments):
        return next(tool for tool in paddock.document("--format", "mcp", "--json", *arguments)["tools"] if tool["name"] == "sandbox_exec")["annotations"]["openWorldHint"]

    assert hint("-c", "sandbox") is False
    assert hint("-c", 'sandbox={"isolation": "process"}') is False   # nothing is allowed
    assert hint("-c", 'sandbox={"isolation": "process", "network_allow": ["pypi.org:443"]}') is True
    assert hint("-c", 'sandbox={"isolation": "process", "network_allow": ["pypi.org:443"], "network_mode": "none"}') is False


@case
def native_tools_are_those_of_the_makers(paddock):
    assert paddock.document("--format", "anthropic", "--native")["tools"] == [
        {"type": "bash_20250124", "name": "bash"}, {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}]
    assert paddock.document("--format", "openai", "-n", "-j")["tools"] == [{"type": "shell"}, {"type": "apply_patch"}]


@case
def the_table_names_capabilities_tools_and_the_prompt(paddock):
    text = paddock.run()
    for words in ("session_storage (Session Storage, risk low, dependency of bashkit_shell)", "sandbox_exec", "System prompt:", '<capability id="sandbox">'):
        assert words in text, words


@case
def mistakes_are_answered_with_the_remedy(paddock):
    for arguments, words in ((["--format", "gemini"], "the formats are anthropic, openai, mcp"), (["-c", "sandbx"], "did you mean 'sandbox'?"),
                             (["-c", "sandbox={"], "not valid JSON"), (["-c", 'sandbox={"memry_limit": 1}'], "did you mean 'memory_limit'?"),
                             (["-c", "container_sandbox"], "set FEATURE_CONTAINER_SANDBOX=true"), (["-H", "coding-container"], "harness coding-container: capability"),
                             (["--native"], "needs --format"), (["x"], "takes no operand")):
        error = paddock.run(*arguments, status=2, FEATURE_CONTAINER_SANDBOX="")
        assert words in error, error
    for flag in ({"FEATURE_CONTAINER_SANDBOX": "true"}, {"FEATURE_DOCKER_CAPABILITY": "1"}):
        assert "sandbox_create" in paddock.run("-c", "container_sandbox", **flag), flag


@case
def help_names_every_option(paddock):
    text = paddock.run("--help")
    for option in ("--format", "--capability", "--harness", "--native", "--json", "Exit status"):
        assert option in text, option


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--paddock", default=ROOT / "build/release/bin/paddock")
    paddock = Paddock(parser.parse_args().paddock)
    passed = failed = skipped = 0
    for check in CASES:
        try:
            check(paddock)
            passed += 1
        except ImportError as error:
            skipped += 1
            print(f"skipped {check.__name__}: {error} (apt-get install python3-jsonschema)")
        except (AssertionError, subprocess.SubprocessError, ValueError, KeyError, StopIteration) as error:
            failed += 1
            print(f"FAILED {check.__name__}: {type(error).__name__}: {error}")
        except Exception as error:  # jsonschema's own
            failed += 1
            print(f"FAILED {check.__name__}: {type(error).__name__}: {str(error)[:500]}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
