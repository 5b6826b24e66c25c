/* SPDX-License-Identifier: MIT */
/* Sorting by a click on a heading, and a filter above each table of some length. Without
 * the script the tables stand as they were written, worst first. */

var FILTERED_FROM = 6;

function cellKey(row, column) {
	var cell = row.cells[column];

	if (!cell)
		return "";
	return cell.dataset.v !== undefined ? +cell.dataset.v : cell.textContent;
}

function compareKeys(a, b) {
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	return String(a).localeCompare(String(b));
}

/* Numbers from high to low first, texts from a to z. */
function sortTable(table, column) {
	var head = table.tHead.rows[0].cells[column], body = table.tBodies[0];
	var rows = Array.from(body.rows), numeric = head.classList.contains("n");
	var was = head.getAttribute("aria-sort");
	var up = was ? was === "descending" : !numeric;

	Array.from(table.tHead.rows[0].cells).forEach(function (cell) {
		cell.removeAttribute("aria-sort");
	});
	head.setAttribute("aria-sort", up ? "ascending" : "descending");
	rows.map(function (row, place) {
		return {row: row, place: place, key: cellKey(row, column)};
	}).sort(function (a, b) {
		return (up ? 1 : -1) * compareKeys(a.key, b.key) || a.place - b.place;
	}).forEach(function (one) {
		body.append(one.row);
	});
}

function makeSortable(table) {
	Array.from(table.tHead.rows[0].cells).forEach(function (cell, column) {
		var text = cell.textContent.trim() || cell.dataset.name.replace(/_/g, " ");

		cell.textContent = "";
		cell.append(button(text, "Sort by " + text, function () {
			sortTable(table, column);
		}));
	});
}

function makeFilter(table) {
	var rows = Array.from(table.tBodies[0].rows), told = make("span", {role: "status"});
	var field = make("input", {type: "search", placeholder: "Filter rows",
		"aria-label": "Filter rows by a regular expression"});

	/* rows that are away, out of a range, do not count */
	function filter() {
		var wanted = expression(field.value), count = 0, all = 0;

		rows.forEach(function (row) {
			var isAway = row.classList.contains("away");

			row.hidden = !!wanted && !wanted.test(row.textContent);
			count += !row.hidden && !isAway;
			all += !isAway;
		});
		told.textContent = wanted === undefined ? "not a regular expression"
			: wanted ? count + " of " + all + " rows" : "";
	}

	field.addEventListener("input", filter);
	table.addEventListener("range", filter);
	table.parentNode.before(make("div", {"class": "filter"}, [field, told]));
}

function startTables() {
	document.querySelectorAll("main table").forEach(function (table) {
		if (table.classList.contains("sorted"))
			makeSortable(table);
		if (table.tBodies[0].rows.length >= FILTERED_FROM)
			makeFilter(table);
	});
}
