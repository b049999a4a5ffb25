"""What runs crawls elsewhere is valid by the schemas and checkers of those programs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def check(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.behaviour("W-08")
def test_the_unit_of_systemd(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / "sitecrawl@1.service"
    text = (DEPLOY / "sitecrawl@.service").read_text()
    unit.write_text(text.replace("/opt/sitecrawl/bin/sitecrawl", sys.executable))
    check(program, "verify", unit)


@pytest.mark.behaviour("W-08")
@pytest.mark.parametrize("name", ["cronjob", "deployment"])
@pytest.mark.parametrize("version", ["1.30", "1.33"])
def test_the_manifests_of_kubernetes(name: str, version: str) -> None:
    manifest = yaml.safe_load((DEPLOY / "kubernetes" / f"{name}.yaml").read_text())
    kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.behaviour("W-08")
def test_the_compose_file() -> None:
    file = DEPLOY / "compose.yaml"
    check(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", file)
    ports = re.findall(r"- (\S+):\d+:\d+$", file.read_text(), re.MULTILINE)
    assert set(ports) == {"127.0.0.1"}, "it has no password"


@pytest.mark.behaviour("W-08")
def test_the_dockerfile() -> None:
    check(Path(sys.executable).with_name("hadolint"), DEPLOY / "Dockerfile")


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.stem)
def test_the_workflows(file: Path) -> None:
    schema = "vendor.github-workflows"
    check(sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, file)
    for script in re.findall(r"(scripts/[\w-]+|\.ci/\w+)", file.read_text()):
        assert (ROOT / script).stat().st_mode & 0o100, script


def test_the_classifiers_are_the_pythons_that_are_tried() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    tried = workflow["jobs"]["wheel"]["strategy"]["matrix"]["python"]
    text = (ROOT / "pyproject.toml").read_text()
    assert re.findall(r"Python :: (3\.\d+)", text) == tried


def test_the_lock_has_all_that_the_project_requires() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    required = [Requirement(each) for each in [*project["dependencies"], *chain(*extras)]]
    locked = {
        canonicalize_name(pinned.name): str(pinned.specifier).removeprefix("==")
        for pinned in map(Requirement, (ROOT / "requirements.lock").read_text().splitlines())
    }
    renew = "uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 ..."
    for each in required:
        version = locked.get(canonicalize_name(each.name))
        assert version is not None, f"{each} is not in requirements.lock: {renew}"
        assert each.specifier.contains(version), f"{each}: {version}"


@pytest.mark.slow
def test_a_wheel_in_a_new_environment(tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path)
    subprocess.run([*pip, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    done = subprocess.run([ROOT / "scripts" / "try-wheel", wheel], capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"3 documents, found, reported" in done.stdout
