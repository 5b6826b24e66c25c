# SPDX-License-Identifier: MIT
"""A root directory for chroot() in which little is there."""
import os
import subprocess
import tempfile

import verdict


class Jail:
    """A root directory with the system's libraries, the products and the case in it. It
    lies outside of the case's directory, which is removed with all that is below it, and
    is itself no mount point."""

    def __init__(self, case, mounts):
        verdict.expect_mounts()
        self.case = case
        self.place = tempfile.mkdtemp(prefix="profshim-jail-")
        self.root = os.path.join(self.place, "root")
        self.mounts = mounts

    def bind(self, path, *options):
        target = self.root + path
        if os.path.islink(path):
            os.symlink(os.readlink(path), target)
            return
        os.makedirs(target)
        subprocess.run(["mount", "--bind", path, target], check=True)
        if options:
            subprocess.run(["mount", "-o", ",".join(("remount", "bind", *options)), target],
                           check=True)

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "profshim-test", self.place], check=True)
        os.mkdir(self.root)
        products = os.path.dirname(os.path.dirname(self.case.products.library))
        for path in ("/usr", "/lib", "/lib64", "/bin", "/etc", products, *self.mounts):
            self.bind(path, "ro")
        self.bind(self.case.directory)
        return self.root

    def __exit__(self, *unused):
        subprocess.run(["umount", "--recursive", "--lazy", self.place], check=True)
        os.rmdir(self.place)
