// SPDX-License-Identifier: MIT
int main (string[] args) {
	var list = new List<string> ();
	for (int i = 0; i < 100; i++)
		list.append ("item %d".printf (i));
	print ("%u\n", list.length ());
	return 0;
}
