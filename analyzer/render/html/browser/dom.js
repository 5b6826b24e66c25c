/* SPDX-License-Identifier: MIT */
/* Making elements. Names get into the page as text only, never as markup. */

function make(tag, attributes, children) {
	var made = document.createElement(tag);

	Object.keys(attributes || {}).forEach(function (name) {
		if (attributes[name] !== null)
			made.setAttribute(name, attributes[name]);
	});
	[].concat(children || []).forEach(function (child) {
		made.append(child);
	});
	return made;
}

function button(text, title, action) {
	var made = make("button", {type: "button", title: title}, text);

	made.addEventListener("click", action);
	return made;
}

/* The regular expression asked for, without regard to case unless it has capitals; null:
 * none; undefined: it is no expression. */
function expression(text) {
	if (!text)
		return null;
	try {
		return new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
	} catch (error) {
		return undefined;
	}
}

var busyParts = new Set();

/* Of what comes a little later: whether it is still to come. */
function setBusy(part, isBusy) {
	var main = document.getElementById("main");

	if (isBusy)
		busyParts.add(part);
	else
		busyParts.delete(part);
	if (busyParts.size)
		main.setAttribute("aria-busy", "true");
	else
		main.removeAttribute("aria-busy");
}
