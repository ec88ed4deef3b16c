// SPDX-License-Identifier: Apache-2.0
//
// qt.cpp - Qt: signals of a QObject, bindable properties, timers and queued connections.
#include "peers.h"

#include <QBasicTimer>
#include <QCoreApplication>
#include <QMetaMethod>
#include <QObject>
#include <QProperty>
#include <QThread>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

// These classes are outside of the unnamed namespace, because moc cannot read one.
class Sender : public QObject
{
    Q_OBJECT
signals:
    void ping(void *a, int i);
    int last(int i);
};

class Receiver : public QObject
{
    Q_OBJECT
public slots:
    void ping(void *a, int i)
    {
        peers_pointer = a;
        peers_int = i;
    }
    int answer(int i) { return i + 1; }
};

namespace
{

std::unique_ptr<Sender> sender;
std::unique_ptr<Receiver> receiver;
std::vector<QMetaObject::Connection> connections;

void begin(std::size_t observers)
{
    sender = std::make_unique<Sender>();
    receiver = std::make_unique<Receiver>();
    for (std::size_t i = 0; i < observers; i++)
        connections.push_back(
            QObject::connect(sender.get(), &Sender::ping, receiver.get(), &Receiver::ping, Qt::DirectConnection));
}
void end()
{
    connections.clear();
    receiver.reset();
    sender.reset();
}

void emit_told(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        emit sender->ping(&sender, static_cast<int>(i));
}
void by_names(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        QMetaObject::invokeMethod(
            sender.get(), "ping", Qt::DirectConnection, Q_ARG(void *, &sender), Q_ARG(int, static_cast<int>(i)));
}
void find_method(std::size_t turns)
{
    while (turns-- > 0)
        peers_int = Sender::staticMetaObject.indexOfSignal("ping(void*,int)");
}
void invoke(std::size_t turns)
{
    const QMetaMethod method = QMetaMethod::fromSignal(&Sender::ping);
    for (std::size_t i = 0; i < turns; i++)
        method.invoke(sender.get(), Qt::DirectConnection, Q_ARG(void *, &sender), Q_ARG(int, static_cast<int>(i)));
}

void begin_answers(std::size_t observers)
{
    begin(0);
    for (std::size_t i = 0; i < observers; i++)
        QObject::connect(sender.get(), &Sender::last, receiver.get(), &Receiver::answer, Qt::DirectConnection);
}
void last(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        peers_int = emit sender->last(static_cast<int>(i));
}

// ---- Registrations ------------------------------------------------------------------------------------------------

void connect_and_disconnect(std::size_t turns)
{
    while (turns-- > 0)
        QObject::disconnect(
            QObject::connect(sender.get(), &Sender::ping, receiver.get(), &Receiver::ping, Qt::DirectConnection));
}
void connect_lambda(std::size_t turns)
{
    Receiver one;
    while (turns-- > 0)
        QObject::disconnect(
            QObject::connect(sender.get(), &Sender::ping, &one, [&one](void *a, int i) { one.ping(a, i); }));
}
double connect_many(std::size_t count) { return peers_register_many(count, begin, end); }
void remove_at(unsigned index) { QObject::disconnect(connections[index]); }
double disconnect_many(std::size_t count) { return peers_remove_many(count, begin, remove_at, end); }
double memory_of_connection(std::size_t count)
{
    begin(1);
    connections.reserve(count + 1);
    const std::size_t before = peers_memory();
    for (std::size_t i = 1; i <= count; i++)
        connections.push_back(
            QObject::connect(sender.get(), &Sender::ping, receiver.get(), &Receiver::ping, Qt::DirectConnection));
    const double each = static_cast<double>(peers_memory() - before) / static_cast<double>(count);
    end();
    return each;
}

// ---- Properties ---------------------------------------------------------------------------------------------------

QProperty<QString> title;
QProperty<int> width, height;
std::unique_ptr<QPropertyNotifier> notifiers[3];

void begin_properties(std::size_t)
{
    notifiers[0] = std::make_unique<QPropertyNotifier>(title.addNotifier([] { peers_pointer = &title; }));
    notifiers[1] = std::make_unique<QPropertyNotifier>(width.addNotifier([] { peers_pointer = &width; }));
    notifiers[2] = std::make_unique<QPropertyNotifier>(height.addNotifier([] { peers_pointer = &height; }));
}
void end_properties()
{
    for (auto &notifier : notifiers)
        notifier.reset();
}
void set_text(std::size_t turns)
{
    const QString texts[] = { QStringLiteral("the title of one page"), QStringLiteral("the title of another") };
    for (std::size_t i = 0; i < turns; i++)
        title = texts[i % 2];
}
void set_two(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++) {
        Qt::beginPropertyUpdateGroup();
        width = static_cast<int>(i) + 1;
        height = static_cast<int>(i) + 1;
        Qt::endPropertyUpdateGroup();
    }
}

// ---- Timers and queues --------------------------------------------------------------------------------------------

std::unique_ptr<QCoreApplication> application;
std::deque<QBasicTimer> timers;

void begin_application()
{
    static int count = 1;
    static char name[] = "bench-peer-qt", *arguments[] = { name, nullptr };
    application = std::make_unique<QCoreApplication>(count, arguments);
}
void begin_timers(std::size_t others)
{
    begin_application();
    begin(0);
    for (std::size_t i = 0; i <= others; i++) {
        timers.emplace_back();
        if (i > 0)
            timers.back().start(static_cast<int>(1000000 + i * 7919 % 5000), receiver.get());
    }
}
void start_and_stop(std::size_t turns)
{
    while (turns-- > 0) {
        timers.front().start(3600000, receiver.get());
        timers.front().stop();
    }
}
void restart(std::size_t turns)
{
    while (turns-- > 0)
        timers[1 + turns % (timers.size() - 1)].start(3600000, receiver.get());
}
void end_timers()
{
    timers.clear();
    end();
    application.reset();
}

void begin_queued(std::size_t)
{
    begin_application();
    begin(0);
    qRegisterMetaType<void *>();
    QObject::connect(sender.get(), &Sender::ping, receiver.get(), &Receiver::ping, Qt::QueuedConnection);
}
void queued(std::size_t turns)
{
    while (turns > 0) {
        const std::size_t window = std::min<std::size_t>(turns, IN_FLIGHT);
        for (std::size_t i = 0; i < window; i++)
            emit sender->ping(&sender, static_cast<int>(i));
        QCoreApplication::processEvents();
        turns -= window;
    }
}

// A thread with an event loop of its own. The emission waits until the slot has returned.
std::unique_ptr<QThread> thread;

void begin_blocking(std::size_t)
{
    begin_application();
    begin(0);
    qRegisterMetaType<void *>();
    thread = std::make_unique<QThread>();
    receiver->moveToThread(thread.get());
    QObject::connect(sender.get(), &Sender::ping, receiver.get(), &Receiver::ping, Qt::BlockingQueuedConnection);
    thread->start();
}
void round_trip(std::size_t turns)
{
    for (std::size_t i = 0; i < turns; i++)
        emit sender->ping(&sender, static_cast<int>(i));
}
void end_blocking()
{
    thread->quit();
    thread->wait();
    end_timers();
    thread.reset();
}

const operation_of_row operations[] = {
    { "broadcast_1", 1, begin, emit_told, end, nullptr, false },
    { "broadcast_16", 16, begin, emit_told, end, nullptr, false },
    // A receiver that ends is disconnected.
    { "weak_16", 16, begin, emit_told, end, nullptr, false },
    { "by_names", 1, begin, by_names, end, nullptr, false },
    { "find_method", 0, begin, find_method, end, nullptr, false },
    { "invocation", 1, begin, invoke, end, nullptr, false },
    { "last_1", 1, begin_answers, last, end, nullptr, false },
    { "last_16", 16, begin_answers, last, end, nullptr, false },
    { "pair_alone", 0, begin, connect_and_disconnect, end, nullptr, false },
    { "pair_100", 100, begin, connect_and_disconnect, end, nullptr, false },
    { "pair_10000", 10000, begin, connect_and_disconnect, end, nullptr, false },
    { "cpp_pair", 0, begin, connect_lambda, end, nullptr, false },
    { "register_many", OBSERVERS_MOST, nullptr, nullptr, nullptr, connect_many, false },
    { "remove_many", OBSERVERS_MOST, nullptr, nullptr, nullptr, disconnect_many, false },
    { "memory_one", 20000, nullptr, nullptr, nullptr, memory_of_connection, false },
    { "property_text", 1, begin_properties, set_text, end_properties, nullptr, false },
    { "batch_two", 1, begin_properties, set_two, end_properties, nullptr, false },
    { "timer_alone", 0, begin_timers, start_and_stop, end_timers, nullptr, false },
    { "timer_10000", 10000, begin_timers, start_and_stop, end_timers, nullptr, false },
    { "watchdog_10000", 10000, begin_timers, restart, end_timers, nullptr, false },
    { "pumped_1", 1, begin_queued, queued, end_timers, nullptr, false },
    { "round_trip", 1, begin_blocking, round_trip, end_blocking, nullptr, true },
    {},
};

} // namespace

const struct peer the_peer = { "Qt", operations };

#include "qt.moc"
