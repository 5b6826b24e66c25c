/* SPDX-License-Identifier: MIT */
/* What is started, once all of the page is there. */

var page = {main: document.getElementById("main"), range: null, bar: null};

/* The range has a place to type it where something can follow it. */
function showRange() {
	page.bar = page.bar || new RangeBar(page.range, page.main);
}

function isTooOld(section) {
	if (typeof DecompressionStream !== "undefined")
		return false;
	section.append(make("p", {"class": "note warning"},
		"This browser is too old for the pictures; the tables have all the numbers."));
	return true;
}

function startExplorer() {
	var section = document.getElementById("explorer"), text = document.getElementById("data");

	if (!section || !text || isTooOld(section))
		return;
	decode(text.textContent).then(function (data) {
		if (!data.pair && (data.slots.length || data.events.length))
			showRange();
		if (!data.pair && data.slots.length) /* the tree follows it, too */
			section.before(page.bar.holder);
		page.explorer = new Explorer(section, data, page.range);
		if (!data.pair)
			new Followers(page.main, data, page.range, page.explorer);
		section.dataset.ready = Math.round(performance.now());
		if (/^#(explorer|.*=)/.test(location.hash) && /(view|zoom|at|search|f)=|explorer/.test(location.hash))
			section.scrollIntoView();
	});
}

function startLanes() {
	var holder = document.querySelector(".lanes"), section = holder && holder.closest("section");
	var text = document.getElementById("lanes-data");

	if (!holder || isTooOld(section))
		return;
	showRange();
	decodeLanes(text.textContent, +holder.dataset.from).then(function (data) {
		followSlices(page.main, page.range, new Lanes(holder, page.range, data));
		section.dataset.ready = Math.round(performance.now());
	});
	if (!document.getElementById("data") && addressWasGiven())
		section.scrollIntoView();
}

startTables();
page.range = new PageRange(+page.main.dataset.begin, +page.main.dataset.end);
startLanes();
startExplorer();
