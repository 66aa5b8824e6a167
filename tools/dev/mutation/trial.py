"""Builds mutants and runs tests against them.

The source of a mutant is a file of its own in the build directory; its object replaces the original's in a copy of the module's
shared library, which the tests load by LD_LIBRARY_PATH. So neither the checkout nor what was built ever changes.
"""
import ctypes, filecmp, json, os, re, resource, shlex, signal, subprocess, time

from schema import refused_lines, schema

SCHEMATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemata.h")
REFUSED = 97   # kRefused of schemata.h
MEMORY = 8 << 30   # of a test: a mutant may allocate without end
LARGEST_FILE = 1 << 30
PR_SET_CHILD_SUBREAPER = 36


class Build:
    """A build directory of the preset `mutate`, and one mutant at a time in its folder `mutant`."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.mutant = os.path.join(folder, "mutant")
        self._links = {}
        os.makedirs(self.mutant, exist_ok=True)

    def make(self, targets, jobs):
        if not os.path.exists(os.path.join(self.folder, "build.ninja")):
            subprocess.run(["cmake", "--preset", "mutate", "-B", self.folder], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", self.folder, "-j", str(jobs), "--target", *targets], check=True)
        with open(os.path.join(self.folder, "compile_commands.json")) as f:
            self._compilers = {os.path.relpath(c["file"], self.root): shlex.split(c["command"]) for c in json.load(f)}

    def build(self, path, text):
        """Builds PATH's library with TEXT as PATH: "built", "same" if its object is the original's, or "refused" by the compiler."""
        made, errors = self._compile(path, text)
        if errors is not None:
            return "refused"
        if filecmp.cmp(made, os.path.join(self.folder, self._original(path)), shallow=False):
            return "same"
        self._link(path, made)
        return "built"

    def build_many(self, path, source, mutants):
        """Builds PATH's library with all MUTANTS, a dictionary by number, that one source can hold; those that it holds."""
        while mutants:
            made, errors = self._compile(path, schema(source, mutants), "-include", SCHEMATA, "-Wno-invalid-constexpr", "-Wno-c++11-narrowing")
            if errors is None:
                self._link(path, made)
                break
            lines = refused_lines(errors, os.path.basename(path))
            held = {n: m for n, m in mutants.items() if not lines & m.lines(source)}
            mutants = held if len(held) < len(mutants) else {}
        return mutants

    def _original(self, path):
        return self._compilers[path][self._compilers[path].index("-o") + 1]

    def _compile(self, path, text, *more):
        """The object of TEXT in place of PATH, and None or the compiler's messages."""
        source, made = (os.path.join(self.mutant, name) for name in (os.path.basename(path), "mutant.o"))
        with open(source, "w") as f:
            f.write(text)
        compiler = list(self._compilers[path])
        compiler[compiler.index("-o") + 1] = made
        compiler[compiler.index("-c") + 1] = source
        compiler += ["-iquote", os.path.dirname(os.path.join(self.root, path)), "-ferror-limit=0", *more]   # where `#include "…"` looked first
        ran = subprocess.run(compiler, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        return made, None if ran.returncode == 0 else ran.stderr

    def _link(self, path, made):
        linker = [made if word == self._original(path) else word for word in self._linker(library_of(path))]
        linker[linker.index("-o") + 1] = os.path.join(self.mutant, library_of(path))
        subprocess.run(linker, cwd=self.folder, check=True)

    def _linker(self, library):
        if library not in self._links:
            commands = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", library], capture_output=True, text=True, check=True)
            words = shlex.split(commands.stdout.strip().splitlines()[-1])
            self._links[library] = [word for word in words if word not in (":", "&&")]
        return self._links[library]

    def clean(self):
        for name in os.listdir(self.mutant):
            os.remove(os.path.join(self.mutant, name))


def library_of(path):
    return "libegtrace_%s.so" % path.split("/")[0 if path.startswith("parsers/") else 1]


class Suites:
    """The test executables of a build."""

    def __init__(self, build):
        self._build = build
        self._log = os.path.join(build.folder, "mutant-tests.log")
        self._usual = {}   # seconds, of those that succeed without a mutant
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)   # daemons that detach themselves become our children

    def measure(self, names):
        """Runs them without a mutant: name and seconds of each, None for one that fails and is left out from here on."""
        for name in names:
            began = time.monotonic()
            if self._run(name, {}, 600) == 0:
                self._usual[name] = time.monotonic() - began
            yield name, self._usual.get(name)

    def first_failure(self, names, number=0):
        """The first test to fail with the mutant of NUMBER, or None. The quickest suites are tried first."""
        for name in sorted((name for name in names if name in self._usual), key=self._usual.get):
            status = self._run(name, {"LD_LIBRARY_PATH": self._build.mutant, "EGT_MUTANT": str(number)}, 5 + 5 * self._usual[name])
            if status != 0:
                return "%s: %s" % (name, self._failed_test(status))
        return None

    def _run(self, name, more, seconds):
        """The exit status, None if it takes too long: its processes have so many SECONDS each, of a processor."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        environment = {k: v for k, v in os.environ.items() if k != "EGTRACE_UPDATE_GOLDEN"} | more
        command = [os.path.join(self._build.folder, "tests", "test_" + name), "--gtest_fail_fast", "--gtest_brief=1"]
        with open(self._log, "wb") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, preexec_fn=limit)
        try:
            return process.wait(timeout=60 + 10 * seconds)   # one that sleeps
        except subprocess.TimeoutExpired:
            return None
        finally:
            end_children()

    def _failed_test(self, status):
        if status == REFUSED:
            return "refused"
        with open(self._log, errors="replace") as f:
            found = re.search(r"^\[  FAILED  \] ([\w./]+)", f.read(), re.M)
        return found.group(1) if found else "time" if status in (None, -signal.SIGXCPU) else "status %d" % status


def end_children():
    """Ends what a test has left running: children, and theirs once these are ours."""
    while True:
        try:
            with open("/proc/self/task/%d/children" % os.getpid()) as f:
                children = [int(pid) for pid in f.read().split()]
        except FileNotFoundError:
            return
        if not children:
            return
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
