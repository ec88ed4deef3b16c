# SPDX-License-Identifier: Apache-2.0
#
# gates.awk - compares instruction counts with their gates, and prints both. Exits with 1 if a count is above its
# gate, or if a gate has no count.
#
#     awk -f gates.awk gates.txt LINES
#
# Benchmarks/run writes LINES. The lines `count SUBJECT OBSERVERS FORM INSTRUCTIONS` are used, and others ignored.

# The slope of the straight line through the counts of 1 and more observers.
function slope(k) { return (n[k] * xy[k] - x[k] * y[k]) / (n[k] * xx[k] - x[k] * x[k]) }

function figure(subject, form, part,    k, value) {
    k = subject SUBSEP form
    if (part == "observer")
        return n[k] > 1 ? slope(k) : ""
    if (part == "broadcast") {
        if (n[k] < 2)
            return ""
        value = (y[k] - slope(k) * x[k]) / n[k]
    } else {
        if (!(k in none))
            return ""
        value = none[k]
    }
    # The caller's loop and the array that it fills are not part of peal_send.
    if (form == "array")
        value -= none[subject, "caller"]
    return value
}

FNR == NR {
    if (NF < 5 || /^#/)
        next
    gates++
    subject[gates] = $1; form[gates] = $2; part[gates] = $3; most[gates] = $4
    reason[gates] = $0
    for (i = 0; i < 4; i++)
        sub(/^[^ ]+ +/, "", reason[gates])
    next
}

$1 == "count" {
    k = $2 SUBSEP $4
    if ($3 == 0)
        none[k] = $5
    else {
        n[k]++; x[k] += $3; y[k] += $5; xx[k] += $3 * $3; xy[k] += $3 * $5
    }
}

END {
    if (gates == 0) {
        print "gates.awk: there are no gates"
        exit 1
    }
    printf "\n%-33s %8s %8s\n", "Instructions", "counted", "at most"
    for (g = 1; g <= gates; g++) {
        value = figure(subject[g], form[g], part[g])
        missed = value == "" || sprintf("%.1f", value) + 0 > most[g]
        printf "%-10s %-12s %-9s %8s %8s%s\n", subject[g], form[g], part[g],
            value == "" ? "-" : sprintf("%.1f", value), most[g], missed ? " !" : ""
        if (missed)
            over[++exceeded] = g
    }
    printf "\n%d of %d gates are kept.\n", gates - exceeded, gates
    for (i = 1; i <= exceeded; i++) {
        g = over[i]
        value = figure(subject[g], form[g], part[g])
        printf "  exceeded: %s %s %s: %s, must be at most %s (%s)\n", subject[g], form[g], part[g],
            value == "" ? "not counted" : sprintf("%.1f", value), most[g], reason[g]
    }
    exit exceeded > 0
}
