/* SPDX-License-Identifier: MIT */
/* What is started, once all of the page is there. */

function startExplorer() {
	var section = document.getElementById("explorer"), text = document.getElementById("data");

	if (!section || !text)
		return;
	if (typeof DecompressionStream === "undefined") {
		section.append(make("p", {"class": "note warning"},
			"This browser is too old for the explorer; the picture and the tables are all."));
		return;
	}
	decode(text.textContent).then(function (data) {
		new Explorer(section, data);
		section.dataset.ready = Math.round(performance.now());
		if (/^#(explorer|.*=)/.test(location.hash))
			section.scrollIntoView();
	});
}

function startLanes() {
	var holder = document.querySelector(".lanes");

	if (!holder)
		return;
	new Lanes(holder);
	if (/=/.test(location.hash))
		holder.closest("section").scrollIntoView();
}

startTables();
startLanes();
startExplorer();
