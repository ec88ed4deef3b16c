// The program of docs/tutorial-cpp.md.
#include <peal/peal.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>

struct chat_protocol : peal::protocol {
    static constexpr const char *protocol_name = "Chat";
    peal::method<void(std::string_view, std::string_view)> on_message{ peal::required, "on_message" };
    peal::method<bool(std::string_view)> may_enter{ peal::optional, "may_enter", "every" };
};

// Makes a lambda that prints the messages that a person reads.
static auto reader(std::string name)
{
    return [name](std::string_view who, std::string_view text) {
        std::cout << name << " reads: " << who << " says " << text << "\n";
    };
}

class person {
public:
    explicit person(std::string name) : name_(std::move(name)) {}
    ~person() { std::cout << name_ << " is freed\n"; }
    void read(std::string_view who, std::string_view text) { reader(name_)(who, text); }

private:
    std::string name_;
};

struct archive_protocol : peal::protocol {
    static constexpr const char *protocol_name = "Archive";
    peal::method<size_t()> count{ peal::required, "count" };
};

class archive {
public:
    archive() { std::cout << "the archive opens\n"; }
    ~archive() { std::cout << "the archive closes\n"; }
    void keep(std::string_view, std::string_view) { count_++; }
    size_t count() { return count_; }

private:
    size_t count_ = 0;
};

// A real plugin would be loaded with dlopen. It need not use owners.
static void start_plugin(const chat_protocol &chat)
{
    chat.observe(peal::on("on_message", reader("a bot"))).release();
}

int main()
{
    const peal_center center = peal_center_default();
    const auto chat = peal::define<chat_protocol>(center);

    peal::observation ann = chat.observe(peal::on("on_message", reader("Ann")));
    peal::observation bob = chat.observe(peal::on("on_message", reader("Bob")));
    chat.on_message("Eve", "hello");

    peal::observation cid = chat.observe(
        peal::on("on_message", reader("Cid")),
        peal::on("may_enter", [](std::string_view who) {
            std::cout << "Cid is asked about " << who << "\n";
            return who != "Mallory";
        }));
    const bool may_enter = chat.may_enter("Mallory");
    std::cout << "Mallory " << (may_enter ? "comes in" : "stays outside") << "\n";

    ann.reset();
    cid.reset();
    auto dan = std::make_shared<person>("Dan");
    peal::observation reads = chat.observe(std::move(dan), peal::on<&person::read>("on_message"));
    reads.reset();

    auto eve = std::make_shared<person>("Eve");
    const peal::observation weakly = chat.observe(std::weak_ptr<person>(eve), peal::on<&person::read>("on_message"));
    chat.on_message("Dan", "are you there?");
    eve.reset();
    chat.on_message("Dan", "and now?");
    bob.reset();

    peal::queue queue = peal::queue::pumped();
    peal::observation fay =
        chat.observe(peal::observe_options().on(queue), peal::on("on_message", reader("Fay")));
    std::string text = "lunch?";
    chat.on_message("Gus", text);
    text = "?!?!?!"; // Fay has a copy
    std::cout << "Fay has not read it yet\n";
    queue.pump();
    fay.reset();

    const auto archives = peal::define<archive_protocol>(center);
    peal::service_of<archive>("archive")
        .provides(archives, peal::on<&archive::count>(archives.count))
        .provides(chat, peal::on<&archive::keep>(chat.on_message))
        .add(center);
    std::cout << "the archive is known, and not open\n";

    // The archive also observes, so that the first message creates it.
    peal::observation keeping;
    peal_observation lazy;
    if (peal_observe_service(chat, "archive", nullptr, &lazy) == PEAL_OK)
        keeping = peal::observation(lazy);
    chat.on_message("Gus", "remember this");

    peal::use use = peal::use::of(center, archives);
    std::cout << use.call(archives.count) << " message is kept\n";
    use.reset();
    peal_session_end(center, nullptr); // a log-out
    keeping.reset();                   // otherwise the next message would create it again

    auto plugin = peal::owner::create("bots");
    {
        const auto entered = plugin.enter(); // this thread's registrations now belong to the plugin
        start_plugin(chat);
    }
    chat.on_message("Gus", "any bots?");
    if (plugin.try_retire(1000).status() == PEAL_OK) // waits up to a second for running calls
        std::cout << "the plugin may be unloaded\n";
}
