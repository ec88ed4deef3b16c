#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh CHECK PYTHON CC [all]: counts how many prototypes of installed headers peal accepts unchanged. Without `all`
# it reads only the headers of packages that are needed to build peal: the C library and libffi.
# Claims: P3
set -eu
check=$1 python=$2 compiler=$3
folder=$(dirname "$0")

library="stdio.h stdlib.h string.h strings.h ctype.h wchar.h wctype.h math.h complex.h time.h locale.h setjmp.h
    signal.h unistd.h fcntl.h sys/types.h sys/stat.h sys/socket.h sys/select.h sys/time.h sys/mman.h sys/wait.h
    sys/uio.h sys/epoll.h sys/ioctl.h sys/resource.h netinet/in.h arpa/inet.h netdb.h poll.h pthread.h semaphore.h
    dlfcn.h dirent.h errno.h pwd.h grp.h glob.h fnmatch.h regex.h search.h sched.h spawn.h termios.h syslog.h ftw.h
    iconv.h langinfo.h libgen.h mqueue.h nl_types.h inttypes.h fenv.h aio.h threads.h uchar.h utmpx.h wordexp.h
    sys/sem.h sys/shm.h sys/msg.h sys/statvfs.h sys/un.h sys/utsname.h sys/inotify.h sys/eventfd.h sys/signalfd.h
    sys/timerfd.h sys/sendfile.h sys/xattr.h ifaddrs.h net/if.h resolv.h argp.h error.h execinfo.h ffi.h"
others="sqlite3.h zlib.h glib.h gio/gio.h uv.h openssl/ssl.h openssl/evp.h openssl/x509v3.h openssl/bn.h openssl/rsa.h
    openssl/ec.h openssl/cms.h openssl/ts.h ncurses.h X11/Xlib.h X11/Xutil.h X11/Xresource.h X11/XKBlib.h SDL2/SDL.h
    libavcodec/avcodec.h libavformat/avformat.h libavutil/avutil.h libavutil/imgutils.h libavutil/opt.h
    libswscale/swscale.h libxml/parser.h libxml/xpath.h libxml/tree.h libxml/xmlreader.h libxml/xmlwriter.h
    libxml/HTMLparser.h libxml/xmlschemas.h systemd/sd-bus.h systemd/sd-event.h systemd/sd-journal.h
    systemd/sd-daemon.h systemd/sd-login.h systemd/sd-device.h systemd/sd-hwdb.h curl/curl.h png.h dbus/dbus.h
    event2/event.h event2/http.h event2/dns.h event2/rpc.h event2/listener.h event2/bufferevent.h wayland-client.h
    wayland-server.h cairo.h expat.h fuse3/fuse.h fuse3/fuse_lowlevel.h lua.h lauxlib.h lualib.h"

if [ "${4:-}" = all ]; then
    flags=$(for package in glib-2.0 gio-unix-2.0 libuv openssl sdl2 libxml-2.0 dbus-1 cairo fuse3 lua5.4; do
        pkg-config --cflags-only-I "$package" 2>/dev/null || true
    done | tr ' ' '\n' | sed -n 's/^-I/--flag=-I/p')
    # shellcheck disable=SC2086
    "$python" "$folder/prototypes.py" --cc "$compiler" --flag=-D_GNU_SOURCE --flag=-DFUSE_USE_VERSION=31 $flags \
        $library $others | "$check" --refused --percent 98 --count 10000
else
    # Many of these prototypes have the type _Float128, which peal does not support.
    # shellcheck disable=SC2086
    "$python" "$folder/prototypes.py" --cc "$compiler" --flag=-D_GNU_SOURCE $library \
        | "$check" --percent 90 --count 1500
fi
