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

/* options: pairs of value and text. */
function choiceList(label, options, change) {
	var list = make("select", {}, options.map(function (option) {
		return make("option", {value: option[0]}, option[1]);
	}));

	list.addEventListener("change", function () { change(list.value); });
	return {list: list, label: make("label", {}, [label + " ", list])};
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

var laterParts = {};

/* Of choices in a row only the last is followed: what was to come of the part before is not. */
function later(part, wait, action) {
	clearTimeout(laterParts[part]);
	setBusy(part, true);
	laterParts[part] = setTimeout(function () {
		setBusy(part, false);
		action();
	}, wait);
}
