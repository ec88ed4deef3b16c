/* SPDX-License-Identifier: Apache-2.0
 *
 * peal.hpp - peal in C++17 and later, as headers alone: all of peal.h, and namespace peal.
 *
 *     peal::center center = peal::center::create();
 *     struct chat : peal::protocol {
 *         static constexpr const char *protocol_name = "Chat";
 *         peal::method<void(std::string_view)> on_message{ peal::required, "on_message" };
 *     };
 *     const auto chat = peal::define<struct chat>(center);
 *     peal::observation heard = chat.on_message.observe([](std::string_view text) { ... });
 *     chat.on_message("good morning");
 *
 * Needs no RTTI. Works without exceptions: see cxx/error.hpp. docs/cpp.md is the guide.
 */
#ifndef PEAL_HPP
#define PEAL_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "peal.hpp needs C++17: compile with -std=c++17 or later, or include <peal/peal.h>"
#endif

#include "cxx/error.hpp"
#include "cxx/handle.hpp"
#include "cxx/signature.hpp"
#include "cxx/exception.hpp"
#include "cxx/method.hpp"
#include "cxx/observer.hpp"
#include "cxx/protocol.hpp"
#include "cxx/define.hpp"
#include "cxx/queue.hpp"
#include "cxx/timer.hpp"
#include "cxx/property.hpp"
#include "cxx/completion.hpp"
#include "cxx/service.hpp"
#include "cxx/invocation.hpp"
#include "cxx/proxy.hpp"
#include "cxx/forwarding.hpp"
#include "cxx/module.hpp"
#include "cxx/reflection.hpp"

#endif
