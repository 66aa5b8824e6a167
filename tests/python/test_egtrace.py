"""The wheel's module against the sample, beside the program: results are the documents that it prints."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import egtrace
from egtrace import asserts

SAMPLE = os.path.join(os.environ["EGTRACE_SOURCE_DIR"], "samples", "egressip-secondary")
BINARY = os.environ["EGTRACE_BINARY"]
POD, SERVER = "demo-egress/requester-3a", "192.168.55.13:80"

try:
    import pandas
except ImportError:
    pandas = None


def printed(*arguments):
    """What the program prints as JSON."""
    return json.loads(subprocess.run([BINARY, *arguments, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)


class OnTheSample(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.snapshot = egtrace.Snapshot(pathlib.Path(SAMPLE))


class Documents(OnTheSample):
    """One conversion, no second implementation."""

    def test_explain(self):
        for to, options, words in [(SERVER, {}, []), ("192.0.2.99", {"proto": "udp", "dport": 53, "one_way": True}, ["--proto", "udp", "--dport", "53", "--one-way"]),
                                   (SERVER, {"size": 1400, "df": True, "mark": 3, "ttl": 9}, ["--size", "1400", "--df", "--mark", "3", "--ttl", "9"])]:
            self.assertEqual(printed("explain", SAMPLE, "--from", POD, "--to", to, *words), self.snapshot.explain(POD, to, **options))

    def test_audit(self):
        self.assertEqual(printed("audit", SAMPLE, "--namespace", "demo-egress", "--to", SERVER), self.snapshot.audit(namespace="demo-egress", to=[SERVER]))

    def test_check(self):
        file = os.path.join(os.environ["EGTRACE_SOURCE_DIR"], "samples", "expectations.yaml")
        self.assertEqual(printed("check", SAMPLE, file), self.snapshot.check(file))
        self.assertEqual(printed("check", SAMPLE, "--from-objects"), self.snapshot.check(from_objects=True))

    def test_triage(self):
        self.assertEqual(printed("triage", SAMPLE), self.snapshot.triage())

    def test_inspect_and_lookup(self):
        self.assertEqual(printed("inspect", SAMPLE), self.snapshot.inspect())
        self.assertEqual(printed("lookup", SAMPLE, "10.133.0.9"), self.snapshot.lookup("10.133.0.9"))

    def test_are_dicts(self):
        x = self.snapshot.explain(POD, SERVER)
        self.assertEqual(("answered", "192.168.66.100", None), (x.outcome, x.paths[0]["source_seen"]["ip"], x.fault))
        self.assertTrue(x.decided)
        self.assertEqual(dict(x), json.loads(json.dumps(x)))
        self.assertTrue(repr(x).startswith("<egtrace.Explanation: answered (proven), "), repr(x))
        self.assertLess(len(repr(self.snapshot.triage())), 80)


class Tables(OnTheSample):
    def test_rows_are_plain_dicts(self):
        audit = self.snapshot.audit(namespace="demo-egress", to=SERVER)
        self.assertEqual(len(audit.rows), len(audit.to_dicts()))
        row = audit.to_dicts()[0]
        self.assertIn("source_port", row)
        self.assertFalse(any(isinstance(value, dict) for value in row.values()))
        self.assertEqual([r for r in audit.rows if r["leak"]], audit.leaks)

    def test_frames(self):
        if pandas is None:
            self.skipTest("no pandas")
        frame = self.snapshot.audit(namespace="demo-egress", to=SERVER).to_frame()
        self.assertEqual({"192.168.66.100", "192.168.99.25"}, set(frame[frame.outcome == "answered"].source_seen))
        self.assertEqual("Int64", str(frame.source_port.dtype))
        checked = self.snapshot.check([{"from": "demo-egress/*", "to": SERVER, "snat": "192.168.66.100"}]).to_frame()
        self.assertEqual(["name", "from", "to", "holds"], list(checked.columns[:4]))
        self.assertIn("severity", self.snapshot.triage(only="stale-mac").to_frame().columns)   # of no rows, too

    def test_say_that_pandas_is_missing(self):
        code = "import sys; sys.modules['pandas'] = None; import egtrace; egtrace.Audit({'rows': []}).to_frame()"
        ran = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
        self.assertIn("ImportError: to_frame() needs pandas, which is not installed; to_dicts()", ran.stderr)


class Checks(OnTheSample):
    GOOD = {"name": "good", "from": POD, "to": SERVER, "snat": "192.168.66.100"}
    BAD = {"name": "bäd 😀", "from": POD, "to": SERVER, "snat": "192.0.2.7"}

    def test_hold_or_not(self):
        self.assertIs(True, self.snapshot.check([self.GOOD]).holds)
        check = self.snapshot.check([self.GOOD, self.BAD])
        self.assertIs(False, check.holds)
        self.assertEqual(["bäd 😀"], [e["name"] for e in check.failing()])

    def test_know_baselines(self):
        known = self.snapshot.baseline([self.BAD])
        self.assertEqual(["bäd 😀"], [f["name"] for f in known.rows])
        self.assertIs(True, self.snapshot.check([self.BAD], baseline=known).holds)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "known.json"
            path.write_text(json.dumps(known), encoding="utf-8")
            self.assertIs(True, self.snapshot.check([self.BAD], baseline=path).holds)
            with self.assertRaisesRegex(egtrace.UsageError, "known.json: this is no baseline"):
                path.write_text("{}", encoding="utf-8")
                self.snapshot.check([self.BAD], baseline=path)

    def test_undecided_is_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            for node in ("master-03-demo", "k8s"):
                os.symlink(os.path.join(SAMPLE, node), os.path.join(folder, node))
            part = egtrace.Snapshot(folder, follow_links=True)
            self.assertEqual("undecided", part.explain(POD, SERVER).outcome)
            check = part.check([self.GOOD])
            self.assertIsNone(check.holds)
            self.assertEqual(1, len(check.undecided()))
            with self.assertRaisesRegex(asserts.Undecided, "missing: "):
                asserts.assert_answered(part, POD, SERVER, snat="192.168.66.100")
            self.assertIsNone(asserts.assert_answered(part, POD, SERVER, undecided="pass").holds)
            os.unlink(os.path.join(folder, "k8s"))   # without objects nothing is promised, and nothing kept
            part = egtrace.Snapshot(folder, follow_links=True)
            self.assertIsNone(part.check(from_objects=True).holds)
            with self.assertRaisesRegex(asserts.Undecided, "missing: Kubernetes objects"):
                asserts.assert_check(part, from_objects=True)


class Errors(OnTheSample):
    def test_of_snapshots(self):
        with tempfile.TemporaryDirectory() as empty:
            for path in ("/nowhere", empty):
                with self.assertRaises(egtrace.SnapshotError) as raised:
                    egtrace.Snapshot(path)
                self.assertEqual(2, raised.exception.status)
        for wrong in ({}, {"path": "-"}, {"path": SAMPLE, "at": "sometime"}, {"path": SAMPLE, "jobs": -1}):
            with self.assertRaises(egtrace.UsageError):
                egtrace.Snapshot(**wrong)

    def test_of_questions(self):
        ask = self.snapshot
        for wrong in (lambda: ask.explain("demo-egress/nobody", SERVER), lambda: ask.explain(POD, "svc:"), lambda: ask.explain(POD, SERVER, dport=70000),
                      lambda: ask.explain(POD, SERVER, proto="gre"), lambda: ask.explain(POD, SERVER, smac="x"), lambda: ask.audit(namespace="nobody"),
                      lambda: ask.check([{"from": POD}]), lambda: ask.check([{"from": POD, "to": SERVER, "snta": "x"}]), lambda: ask.check("/nowhere.yaml"),
                      lambda: ask.check(), lambda: ask.triage(only=["no-such-check"]), lambda: ask.lookup("")):
            with self.assertRaises(egtrace.UsageError) as raised:
                wrong()
            self.assertIsInstance(raised.exception, ValueError)
        with self.assertRaisesRegex(egtrace.UsageError, "expectations:2: unknown key `snta`"):
            ask.check([{"from": POD, "to": SERVER}, {"from": POD, "to": SERVER, "snta": "x"}])
        with self.assertRaisesRegex(egtrace.UsageError, "did you mean"):
            ask.explain("demo-egress/requester-3x", SERVER)

    def test_of_types(self):
        with self.assertRaises(TypeError):
            self.snapshot.explain(POD, SERVER, color="red")
        with self.assertRaises(TypeError):
            self.snapshot.explain(POD, 5)


class Asserts(OnTheSample):
    def test_pass(self):
        self.assertIs(True, asserts.assert_answered(self.snapshot, POD, SERVER, snat="192.168.66.100", contains=("chain:OVN-KUBE-EGRESS-IP-MULTI-NIC",)).holds)
        asserts.assert_refused(self.snapshot, POD, "192.0.2.99:80")
        asserts.assert_outcome(self.snapshot, POD, "192.0.2.99:80", ["refused", "unanswered"])
        asserts.assert_no_findings(self.snapshot, only="stale-mac")

    def test_fail_with_reason_and_dump_line(self):
        with self.assertRaises(AssertionError) as raised:
            asserts.assert_answered(self.snapshot, POD, SERVER, snat="192.0.2.7")
        self.assertNotIsInstance(raised.exception, asserts.Undecided)
        self.assertIn("the source seen is 192.168.66.100:54321, not 192.0.2.7", str(raised.exception))
        self.assertIn("master-02-demo/iptables-save:47: -A OVN-KUBE", str(raised.exception))
        with self.assertRaises(AssertionError):
            asserts.assert_unanswered(self.snapshot, POD, SERVER)
        leaks = self.snapshot.audit().leaks
        if leaks:
            with self.assertRaisesRegex(AssertionError, f"{len(leaks)} leak"):
                asserts.assert_no_leaks(self.snapshot)

    def test_warn_where_soft(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertIs(False, asserts.assert_unanswered(self.snapshot, POD, SERVER, soft=True).holds)
        self.assertEqual(1, len(caught))
        self.assertEqual(os.path.basename(__file__), os.path.basename(caught[0].filename))


class WithPytest(unittest.TestCase):
    TEST = """
import egtrace, os, pytest
from egtrace import asserts

@pytest.fixture(scope="session")
def snapshot():
    return egtrace.Snapshot(os.environ["EGTRACE_SOURCE_DIR"] + "/samples/egressip-secondary")

def test_good(snapshot):
    asserts.assert_answered(snapshot, "demo-egress/requester-3a", "192.168.55.13:80")

def test_bad(snapshot):
    asserts.assert_answered(snapshot, "demo-egress/requester-3a", "192.168.55.13:80", node="master-01-demo")
"""

    def test_shows_the_tests_line_and_the_reason(self):
        if subprocess.run([sys.executable, "-c", "import pytest"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no pytest")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_it.py").write_text(self.TEST, encoding="utf-8")
            ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder], stdout=subprocess.PIPE, text=True, check=False)
        self.assertIn("1 failed, 1 passed", ran.stdout)
        self.assertIn('node="master-01-demo")\nE', ran.stdout.replace("\r", ""))
        self.assertIn("the node is master-02-demo, not master-01-demo", ran.stdout)
        self.assertNotIn("raise error", ran.stdout)   # the module's own lines


class Threads(OnTheSample):
    def test_get_the_same_answers(self):
        expected = self.snapshot.explain(POD, SERVER)
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.snapshot.explain(POD, SERVER))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([expected] * 4, answers)

    def test_run_while_another_asks(self):
        # One thread asks, another one counts: if the call kept the interpreter's lock that one would stand still until it ends.
        done = threading.Event()
        ticks = []

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        ticking = threading.Thread(target=tick)
        ticking.start()
        began = time.monotonic()
        egtrace.Snapshot(SAMPLE).triage()
        ended = time.monotonic()
        done.set()
        ticking.join()
        longest = max(b - a for a, b in zip(ticks, ticks[1:]))
        self.assertLess(longest, (ended - began) / 2)


class Manual(unittest.TestCase):
    def test_names_what_there_is(self):
        page = (pathlib.Path(os.environ["EGTRACE_SOURCE_DIR"]) / "docs" / "python.md").read_text(encoding="utf-8")
        calls = re.findall(r"^\| `\.(\w+)\(", page, re.MULTILINE)
        self.assertEqual([name for name in vars(egtrace.Snapshot) if not name.startswith("_")], calls)
        for name in re.findall(r"asserts\.(\w+)", page):
            self.assertIn(name, asserts.__all__)


class Typed(unittest.TestCase):
    def test_marker_and_stubs(self):
        folder = pathlib.Path(egtrace.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        self.assertTrue((folder / "_egtrace.pyi").exists())
        self.assertEqual(set(egtrace.__all__) - {"__version__"}, {name for name in egtrace.__all__ if hasattr(egtrace, name) and name != "__version__"})

    def test_stub_names_what_the_module_has(self):
        from egtrace import _egtrace

        stub = (pathlib.Path(egtrace.__file__).parent / "_egtrace.pyi").read_text(encoding="utf-8")
        for name in dir(_egtrace.OpenSnapshot):
            if not name.startswith("_"):
                self.assertIn(f"    def {name}(", stub)

    def test_mypy(self):
        if subprocess.run([sys.executable, "-c", "import mypy"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no mypy")
        folder = os.path.dirname(egtrace.__file__)
        ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", os.devnull, folder],
                             stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(0, ran.returncode, ran.stdout)

    def test_version_is_the_programs(self):
        self.assertEqual(f"egtrace {egtrace.__version__}\n", subprocess.run([BINARY, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)


if __name__ == "__main__":
    unittest.main()
