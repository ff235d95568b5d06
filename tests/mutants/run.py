#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code on purpose, one rule at a time, and fails when no test notices.

Usage: run.py SOURCE-DIRECTORY BUILD-DIRECTORY (by `make check-mutants`, which has built the tests). Each section of
mutants.conf is one mutant. The file is copied with the fragment replaced, compiled into an object of its own and
linked before the libraries into the test that is to fail; the test as built must pass.
"""
import concurrent.futures
import configparser
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Quick to compile; what becomes unused by the change is no error.
COMPILE_EXTRA = "-w -O0 -U_FORTIFY_SOURCE"
SECONDS_MAX = 60


class Bench:
    def __init__(self, source, build, scratch):
        self.source = source
        self.build = build
        self.scratch = scratch
        self.compile = (build / "mutant-compile.tmp").read_text().strip()
        self.link = (build / "mutant-link.tmp").read_text().strip()
        self.libraries = (build / "mutant-libraries.tmp").read_text().strip()

    def shell(self, command):
        return subprocess.run(
            command, shell=True, cwd=self.build, capture_output=True, text=True, check=False, timeout=SECONDS_MAX
        )

    def run_test(self, *command):
        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="STDOUT")
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=SECONDS_MAX, env=environment
            )
        except subprocess.TimeoutExpired:
            return 1
        return done.returncode

    def survives(self, name, mutant):
        """None when the test failed as it must, else what is wrong with this mutant."""
        text = (self.source / mutant["file"]).read_text()
        count = text.count(mutant["find"])
        if count != 1:
            return f"its fragment stands {count} times in {mutant['file']}, expected once"
        place = self.scratch / name
        place.mkdir()
        changed = place / "mutant.c"
        changed.write_text(text.replace(mutant["find"], mutant.get("replace", "")))
        done = self.shell(f"{self.compile} {COMPILE_EXTRA} -c -o {place}/mutant.o {changed}")
        if done.returncode != 0:
            return "it does not compile:\n" + done.stderr
        objects = f"{mutant['test']}.o tests/unit/main.o {place}/mutant.o"
        done = self.shell(f"{self.link} -o {place}/test {objects} {self.libraries}")
        if done.returncode != 0:
            return "it does not link:\n" + done.stderr
        if self.run_test(place / "test") == 0:
            return f"it survived {mutant['test']}"
        return None


def rules_without_mutant(source, mutants):
    named = set(re.findall(r'\.name = "([^"]+)"', (source / "src/probe/guard.c").read_text()))
    return sorted(named - {mutant["rule"] for mutant in mutants.values() if "rule" in mutant})


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    table = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    table.optionxform = str
    table.read_string((source / "tests/mutants/mutants.conf").read_text())
    mutants = {name: dict(table[name]) for name in table.sections()}
    problems = [f"rule {rule}: no mutant breaks it" for rule in rules_without_mutant(source, mutants)]
    with tempfile.TemporaryDirectory(prefix="repoprobe-mutants-") as scratch:
        bench = Bench(source, build, pathlib.Path(scratch))
        for test in sorted({mutant["test"] for mutant in mutants.values()}):
            folder, name = os.path.split(test)
            if bench.run_test(build / folder / "run", f"{name}.c") != 0:
                problems.append(f"{test}: fails without any mutant")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = dict(zip(mutants, pool.map(lambda name: bench.survives(name, mutants[name]), mutants)))
    problems += [f"{name}: {problem}" for name, problem in found.items() if problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(mutants)} mutants, {len(problems)} problems")
    return 1 if problems or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())
