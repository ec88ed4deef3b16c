// SPDX-License-Identifier: Apache-2.0
//
// peal.hpp without exceptions and without RTTI. Functions return results; those that cannot print a sentence and abort.
#include "cpp.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#if PEAL_CXX_EXCEPTIONS
#error "this program is compiled with -fno-exceptions"
#endif

CLAIM("C4", "without exceptions, broadcasts, properties, queues, services, closures, invocations and proxies of C++ work")
{
    house h;
    const auto o = h.chat.observe(peal::on("on_message", writer("a")), peal::on("weigh", [](int n) { return n; }));
    h.chat.on_message("x", 1);
    CHECK_JOURNAL("ax1");
    CHECK_EQUAL(h.chat.weigh(2), 2);
    CHECK_EQUAL(h.chat.weigh.collect(2).size(), 1);
    const auto level = peal::property<int>::define(h.center, "level", 1);
    level.set(2);
    CHECK_EQUAL(level.get(), 2);
    peal::queue queue = peal::queue::pumped();
    CHECK_EQUAL(queue.pump(), 0);
    const peal::service service = peal::service_of<counted>("counted").add(h.center);
    CHECK_EQUAL(service.use() ? 1 : 0, 1);
    const peal::closure<int(int)> closure([](int n) { return n + 1; });
    CHECK_EQUAL(closure.function()(1), 2);
    const peal::invocation call(h.chat.weigh, 3);
    CHECK_EQUAL(call.broadcast(), 3);
    CHECK_EQUAL(call.invoke([](int n) { return n + 1; }), 4);
    const peal::proxy proxy = peal::forwarding(h.chat)
                                  .invoke([&](peal::no_target &, peal::any_call taken) {
                                      taken.as<int(int)>().set_result(5);
                                  })
                                  .make();
    CHECK_EQUAL(proxy.call(h.chat.weigh, 1), 5);
}

CLAIM("C4", "without exceptions a failure is a result")
{
    house h;
    CHECK_REFUSED(h.chat.try_observe(peal::on("on_message", [](int) {})), PEAL_ERROR_CONFLICT, "parameter 1");
    CHECK_REFUSED(peal::protocol::try_find(h.center, "Cat"), PEAL_ERROR_NOT_FOUND, "Cat");
    CHECK_STATUS(peal::method<void()>().send().status, PEAL_ERROR_HANDLE);
    CHECK(peal::protocol::try_find(h.center, "Cat").code() == PEAL_ERROR_NOT_FOUND);
}

CLAIM("C4", "without exceptions, an operation that cannot return its failure prints the sentence and aborts")
{
    house h;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        (void)signal(SIGABRT, SIG_DFL);
        (void)peal::protocol::find(h.center, "Cat");
        _exit(0);
    }
    close(ends[1]);
    char said[512] = "";
    const ssize_t length = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(length > 0);
    CHECK_CONTAINS(said, "Cat");
    CHECK_CONTAINS(said, "PEAL_ERROR_NOT_FOUND");
}
