/* SPDX-License-Identifier: MIT */
/* Numbers as the other formats of prof-analyze write them: three digits, counts exact. */

function three(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, base, units) {
	var unit = 0;

	while (unit < units.length - 1 && +three(value) >= base) {
		value /= base;
		unit++;
	}
	return unit ? three(value) + units[unit] : Math.round(value) + units[0];
}

function amountText(value, unit) {
	var sign = value < 0 ? "-" : "";

	value = Math.abs(value);
	if (unit === "nanoseconds")
		return value ? sign + scaled(value, 1000, ["ns", "us", "ms", "s"]) : "0";
	if (unit === "bytes")
		return value ? sign + scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]) : "0";
	return sign + Math.round(value).toLocaleString("en-US");
}

function percentText(part, whole) {
	var percent = whole > 0 ? 100 * part / whole : 0;

	return percent > 0 && percent < 0.1 ? "<0.1%" : percent.toFixed(1) + "%";
}

/* "1.20s ±8%"; "<80ms" of what is not known, at most so much. */
function estimateText(value, error, unit) {
	if (!(error > 0) || error < value * 0.005)
		return amountText(value, unit);
	if (error >= value)
		return "<" + amountText(value + error, unit);
	return amountText(value, unit) + " \u00b1" + Math.ceil(100 * error / value) + "%";
}

function countedText(count, noun) {
	return count.toLocaleString("en-US") + " " + noun + (count === 1 ? "" : "s");
}
