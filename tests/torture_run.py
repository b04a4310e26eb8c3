"""Run a tool within limits, and judge how it ended."""
import os
import re
import resource
import subprocess

# What each manual says; 1 is a result that was printed.
STATUS = {
    "k3-decode": {0, 65, 66, 69, 71, 73, 74},
    "k3-pack": {0, 65, 66, 71, 73, 74},
    "k3-route": {0, 65, 66, 69, 71, 74},
    "k3-tok": {0, 65, 66, 71, 74},
    "k3-verify": {0, 1, 65, 66, 71, 73, 74},
}
GB = 1 << 30


class Runner:
    """Runs tools of the folder BIN; what is wrong with one is a list of words."""

    def __init__(self, folder):
        self.bin = folder
        with open(os.path.join(folder, "k3-decode"), "rb") as f:
            program = f.read()
        # A sanitizer maps terabytes, and takes its time.
        self.sanitized = b"__asan_init" in program or b"__tsan_init" in program
        self.seconds = 120 if self.sanitized else 30
        self.most = (512 if self.sanitized else 96) << 20
        self.env = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:"
                        "max_allocation_size_mb=512:hard_rss_limit_mb=1024")

    def limits(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (GB, GB))
        if not self.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (GB, GB))

    def run(self, args, stdin=b""):
        """(status, output, errors, faults); a status below 0 is a signal."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        command = [os.path.join(self.bin, args[0])] + args[1:]
        try:
            got = subprocess.run(command, input=stdin, capture_output=True, env=self.env,
                                 timeout=self.seconds, preexec_fn=self.limits, check=False)
        except subprocess.TimeoutExpired:
            return -1, b"", "", [f"no end after {self.seconds} s"]
        errors = got.stderr.decode(errors="backslashreplace")
        faults = judge(args[0], got.returncode, got.stdout, errors)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if after > before and after * 1024 > self.most:
            faults.append(f"{after} KB of memory")
        return got.returncode, got.stdout, errors, faults


def judge(tool, status, output, errors):
    """Is this a documented end?"""
    faults = []
    if status not in STATUS[tool]:
        faults.append(f"status {status}")
    if status in (0, 1):
        if errors:
            faults.append("it failed with a message, or succeeded with one")
        if status == 1 and not output:
            faults.append("status 1 and nothing said")
    elif not re.fullmatch(tool + r": [^\n]*[^\n.]\n", errors):
        faults.append("not one line on standard error")
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", errors):
        faults.append("control characters in a message")
    return faults
