// Uses an installed peal.hpp.
//
//     program                         linked
//     program LIBRARY                 with USE_PEAL_DL: loads the library
#include "program.hpp"

#include <iostream>

int main(int argc, char **argv)
{
#ifdef USE_PEAL_DL
    if (argc < 2 || !peal_dl_open(argv[1])) {
        std::cout << "failed: " << peal_dl_message() << "\n";
        return 1;
    }
#else
    (void)argc;
    (void)argv;
#endif
    const peal::center center = peal::center::create();
    const chat chat = peal::define<struct chat>(center);
    const peal::observation here = chat.observe(
        peal::on("on_text", [](std::string_view text) { std::cout << "a lambda: " << text << "\n"; }),
        peal::on("weigh", [factor = 2](int n) { return factor * n; }));
    const peal::observation there = observe_elsewhere(chat);
    try {
        chat.on_text("good morning");
    } catch (const peal::observer_error &error) {
        std::cout << error.what() << "\n";
    }
    std::cout << "weighed " << chat.weigh(21) << "\n";
}
