# SPDX-License-Identifier: MIT
# A repository from its first commit to a merge, a clone and a bundle.
set -e
git init -q -b main repository
cd repository
git config gc.auto 0
cp -r ../tree .
git add -A
git commit -q -m first
git checkout -q -b side
sed -i 's/^/side /' tree/d0/f0.txt
git commit -q -a -m side
git checkout -q main
cp ../text.txt .
git add text.txt
git commit -q -m text
git merge -q -m merge side
git log --oneline --graph --stat
git blame tree/d0/f0.txt | head -3
git grep -c qui | head
git tag -a -m tag v1
git repack -q -a -d
git fsck --no-progress
git archive v1 | sha256sum
git bundle create -q ../bundle main
git clone -q -b main ../bundle ../clone
git -C ../clone describe --always
git format-patch -q -o .. HEAD~1
git stash list
git rebase -q HEAD~1
git show --format=%H --name-only HEAD
git gc -q
rm .git/index
git reset -q
rm -rf .git/objects/pack .git/index .git/info/commit-graphs ../clone
