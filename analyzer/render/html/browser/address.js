/* SPDX-License-Identifier: MIT */
/*
 * The page's address: each part of the page keeps there what the reader has chosen in it,
 * so that a link opens the same view.
 */

var addressParts = {};

/* text: "name=value&name=value", or nothing to keep. */
function putAddress(part, text) {
	var all;

	addressParts[part] = text;
	all = Object.keys(addressParts).sort().map(function (name) {
		return addressParts[name];
	}).filter(Boolean).join("&");
	if (all)
		history.replaceState(null, "", "#" + all);
	else if (/=/.test(location.hash))
		history.replaceState(null, "", "#main");
}

/* What stands behind a name, null: nothing. */
function addressValue(name) {
	var found = location.hash.slice(1).split("&").find(function (part) {
		return part.split("=")[0] === name && part.length > name.length;
	});

	try {
		return found === undefined ? null : decodeURIComponent(found.slice(name.length + 1));
	} catch (error) {
		return null;
	}
}

function addressWasGiven() {
	return /=/.test(location.hash);
}

/* change(): of an address with a view in it, not of a way within the page. */
function whenAddressChanges(change) {
	window.addEventListener("hashchange", function () {
		if (addressWasGiven())
			change();
	});
}
