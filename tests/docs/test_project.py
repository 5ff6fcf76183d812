"""The files around the code: they parse, agree with each other, and invent nothing."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import deltachain as dc
from deltachain.cli.command import main
from tests.docs.pages import ROOT
from tests.test_structure import ORDER

yaml = pytest.importorskip("yaml")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
WORKFLOWS = sorted(path for path in (ROOT / ".github").rglob("*.yml") if path not in FORMS)
WRITTEN = [
    *(ROOT / name for name in ("CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "Dockerfile")),
    *(ROOT / name for name in (".pre-commit-config.yaml", "docs/project.md", "docs/howto/continuous-integration.md")),
    *sorted((ROOT / "paper").iterdir()),
    *WORKFLOWS,
    *FORMS,
    ROOT / ".github" / "actions" / "deltachain-check" / "check.sh",
]
KNOWN_ADDRESSES = {"https://semver.org/", "http://www.w3.org/2000/svg"} | {
    "https://pypi.org/project/qif/",
    "https://github.com/alianoroozi/PRISM-Leak",
}
ACTION = ROOT / ".github" / "actions" / "deltachain-check"


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def test_nothing_is_invented() -> None:
    for path in WRITTEN:
        text = path.read_text("utf-8")
        assert set(re.findall(r"https?://[^\s\"')>]+", text)) <= KNOWN_ADDRESSES, path
        assert not re.search(r"[\w.]+@[\w-]+\.\w+", text), f"{path}: looks like an e-mail address"
        assert not re.search(r"secrets\.|token|password", text), path


def test_the_versions_agree() -> None:
    citation = read_yaml(ROOT / "CITATION.cff")
    assert citation["version"] == dc.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == [{"name": author["name"]} for author in PROJECT["authors"]]
    assert PROJECT["keywords"] == citation["keywords"]
    released = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if released:
        assert released[0] == dc.__version__


def test_the_readme_says_what_every_extra_is_for() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| .+ \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    ours = {"all", "bench", "browser", "dev", "docs"}  # for those who work on it
    assert told == set(PROJECT["optional-dependencies"]) - ours


def test_the_page_on_the_architecture_lists_every_package_in_the_order_of_imports() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = text.partition("| package | responsibility |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(ORDER), "docs/architecture.md, table of packages"
    needed = text.partition("The core needs ")[2].partition(";")[0]
    listed = [re.split(r"[<>=~ ]", line)[0] for line in PROJECT["dependencies"]]
    assert re.findall(r"`([\w-]+)`", needed) == sorted(listed), "docs/architecture.md, the core's dependencies"


def test_workflows_run_what_everybody_runs() -> None:
    assert [path.name for path in WORKFLOWS] == ["action.yml", "docs.yml", "test.yml", "wheels.yml"]
    test = read_yaml(ROOT / ".github" / "workflows" / "test.yml")
    pythons = test["jobs"]["test"]["strategy"]["matrix"]["python"]
    listed = [line.split(" :: ")[-1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert pythons == listed
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in WORKFLOWS:
        made = re.findall(r"run: make ([\w-]+)", path.read_text("utf-8"))
        assert set(made) <= targets
        if path.name != "action.yml":
            assert read_yaml(path)["permissions"] == {"contents": "read"}


def test_the_forms_of_issues_ask_for_what_is_needed() -> None:
    forms = {path.stem: read_yaml(path) for path in FORMS if path.stem != "config"}
    assert set(forms) == {"bug", "question", "wrong-bound"}
    for name, form in forms.items():
        assert {"name", "description", "body"} <= set(form), name
        fields = [part for part in form["body"] if part["type"] != "markdown"]
        assert len({part["id"] for part in fields}) == len(fields), name
    needed = {part["id"] for part in forms["wrong-bound"]["body"] if part.get("validations", {}).get("required")}
    assert needed == {"command", "model", "printed", "correct", "version"}


def test_hooks_are_local() -> None:
    found = read_yaml(ROOT / ".pre-commit-config.yaml")
    assert [source["repo"] for source in found["repos"]] == ["local"]
    assert {hook["id"] for hook in found["repos"][0]["hooks"]} >= {"ruff-check", "ruff-format", "mypy"}


def test_the_hook_for_others_runs_the_command() -> None:
    (hook,) = read_yaml(ROOT / ".pre-commit-hooks.yaml")
    assert hook["id"] in (ROOT / "docs" / "howto" / "continuous-integration.md").read_text("utf-8")
    command = [*hook["entry"].split(), "example:survey", "--exp-epsilon", "3", "--delta", "0"]
    assert command[0] in PROJECT["scripts"]
    assert main(command[1:]) == 0


def test_the_action_installs_what_it_came_with() -> None:
    (install, *_) = read_yaml(ACTION / "action.yml")["runs"]["steps"]
    (default,) = re.findall(r"\$\{SOURCE:-\$GITHUB_ACTION_PATH/([./]+)\}", install["run"])
    assert (ACTION / default).resolve() == ROOT


def test_the_dockerfile_runs_the_two_commands() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    known = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "CMD"}
    assert {word for word, _ in lines} <= known
    assert lines[0][0] == "FROM"
    assert ":" in lines[0][1], "an image without a tag moves under our feet"
    assert "/" not in lines[0][1], "no host of a registry"
    assert any("make demo" in rest for _, rest in lines)
    assert lines[-1] == ["CMD", '["make", "test"]']
    assert [rest for word, rest in lines if word == "USER"] == ["reviewer"]
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".git", ".venv"} <= set(ignored)


def test_the_paper_cites_what_it_lists() -> None:
    text = (ROOT / "paper" / "paper.md").read_text("utf-8")
    head = yaml.safe_load(text.split("---")[1])
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(head)
    assert head["bibliography"] == "paper.bib"
    listed = re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"@(\w+)", text.split("---", 2)[2])) == set(listed)
    assert 750 <= len(text.split("---", 2)[2].split()) <= 1750
    sections = ["Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"]
    sections += ["AI usage disclosure", "Acknowledgements", "References"]
    assert re.findall(r"^# (.+)$", text, re.MULTILINE) == sections, "what the journal asks for"


def test_the_report_of_what_is_new_names_tests_that_exist() -> None:
    text = (ROOT / "docs" / "theory" / "what-is-new.md").read_text("utf-8")
    cited = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(cited) >= 5
    for path, name in cited:
        assert (ROOT / path).is_file(), path
        assert f"def {name}" in (ROOT / path).read_text("utf-8"), name


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("model", "undecided", "options", "verdict", "code"),
    [
        ("coin,p=1/2", "fail", "", "private", 0),
        ("coin", "fail", "--pair 's0' s1", "violated", 1),
        ("coin", "fail", "--pair s0 nobody", None, 2),
        ("sticky-sensor", "fail", "--max-nodes 1", "undecided", 3),
        ("sticky-sensor", "pass", "--max-nodes 1", "undecided", 0),
    ],
)
def test_the_action(model: str, undecided: str, options: str, verdict: str | None, code: int, tmp_path: Path) -> None:
    command = tmp_path / "bin" / "deltachain"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deltachain "$@"\n')
    command.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{command.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MODEL": f"example:{model}",
        "EXP_EPSILON": "9/8",
        "DELTA": "1/8" if model == "sticky-sensor" else "0",
        "OPTIONS": options,
        "UNDECIDED": undecided,
        "FOLDER": str(tmp_path / "privacy"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    done = subprocess.run(
        ["bash", str(ACTION / "check.sh")], env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == code, done.stderr
    if verdict is None:
        assert not (tmp_path / "output").exists()
        return
    assert (tmp_path / "output").read_text() == f"verdict={verdict}\n"
    assert f">{verdict}</text>" in (tmp_path / "privacy" / "badge.svg").read_text()
    assert (tmp_path / "privacy" / "verdict.txt").read_text("utf-8").startswith(verdict.upper())
    assert (tmp_path / "privacy" / "report.html").read_text("utf-8").rstrip().endswith("</html>")
    dc.verify(dc.examples.build(model), tmp_path / "privacy" / "certificate.json")


@pytest.fixture(scope="module")
def changelog() -> ModuleType:
    spec = importlib.util.spec_from_file_location("changelog", ROOT / ".ci" / "changelog.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_lines_of_the_changelog_have_their_kinds(changelog: ModuleType) -> None:
    assert set(changelog.read_lines(ROOT / "changelog.d")) == {"added", "changed", "fixed", "removed"}


def test_a_release_collects_the_lines(changelog: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("what this is\n", "utf-8")
    (tmp_path / "one.added.md").write_text("- One.\n  More.\n", "utf-8")
    (tmp_path / "two.fixed.md").write_text("- Two.\n", "utf-8")
    before = (
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Zero.\n\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- All.\n"
    )
    after = changelog.released(before, changelog.read_lines(tmp_path), "0.2.0", "2026-02-02")
    assert after == (
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-02\n\n### Added\n\n- One.\n  More.\n- Zero.\n\n"
        "### Fixed\n\n- Two.\n\n## [0.1.0] - 2026-01-01\n\n### Added\n\n- All.\n"
    )
    (tmp_path / "three.md").write_text("- Three.\n", "utf-8")
    with pytest.raises(ValueError, match=r"three\.md"):
        changelog.read_lines(tmp_path)
