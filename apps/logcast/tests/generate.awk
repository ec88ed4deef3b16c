# Prints a log of any length, the same each time: awk -v count=COUNT -f generate.awk
#
# The lines resemble those of a package log, three in each second, beginning on the first of January 2026. A month has
# room for eight million lines.
BEGIN {
    last_action = split("status unpacked,status half-configured,status installed,status half-installed," \
        "configure,install,upgrade,trigproc", actions, ",")
    state = 1
    for (made = 0; made < count; made++) {
        if (made % 3 == 0) {
            second = made / 3
            time = sprintf("2026-01-%02d %02d:%02d:%02d", second / 86400 + 1, second / 3600 % 24, \
                second / 60 % 60, second % 60)
        }
        state = (state * 1664525 + 1013904223) % 4294967296
        random = int(state / 256)
        printf "%s %s package-%04d:amd64 1.0-%d\n", time, actions[random % last_action + 1], \
            int(random / 8) % 10000, int(random / 80000) % 10
    }
}
