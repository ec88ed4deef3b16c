#if canImport(Logging)
public import Logging
public import Peal

extension Center {
    /// Logs the events of the center's modules and services.
    ///
    ///     let logging = try center.log(to: Logger(label: "peal"))
    ///
    /// A failure has the level `error`, a step past its time limit `warning`, the start and the end of a module `info`,
    /// and each other event `debug`. The metadata names the module or the service.
    ///
    /// - Parameter logger: Gets the messages, on the thread of the event.
    /// - Returns: The observations, which end with their last references.
    /// - Throws: ``Status/handle`` when the center has ended.
    ///
    /// Thread rule: any thread.
    public func log(to logger: Logger) throws(PealError) -> [ObserverToken] {
        [
            try observeModules { event in
                let entry = Entry(event)
                logger.log(level: entry.level, "\(entry.message)", metadata: entry.metadata)
            },
            try observeServices { event in
                let entry = Entry(event)
                logger.log(level: entry.level, "\(entry.message)", metadata: entry.metadata)
            },
        ]
    }
}

/// A message about an event.
private struct Entry {
    let level: Logger.Level
    let message: String
    let metadata: Logger.Metadata

    init(_ event: ModuleEvent) {
        switch event {
        case .started(let module, let time):
            (level, message) = (.info, "module started")
            metadata = ["module": "\(module)", "duration": "\(time)"]
        case .stopped(let module, let time):
            (level, message) = (.info, "module stopped")
            metadata = ["module": "\(module)", "duration": "\(time)"]
        case .failed(let module, let step, let text):
            (level, message) = (.error, "module failed")
            metadata = ["module": "\(module)", "step": "\(step)", "error": "\(text)"]
        case .overdue(let module, let step, let time):
            (level, message) = (.warning, "module is past its time limit")
            metadata = ["module": "\(module)", "step": "\(step)", "duration": "\(time)"]
        case .signal(let number):
            (level, message) = (.debug, "signal received")
            metadata = ["signal": "\(number)"]
        }
    }

    init(_ event: ServiceEvent) {
        switch event {
        case .registered(let service):
            (level, message, metadata) = (.debug, "service registered", ["service": "\(service)"])
        case .unregistered(let service):
            (level, message, metadata) = (.debug, "service unregistered", ["service": "\(service)"])
        case .created(let service, let creator):
            (level, message) = (.debug, "service created")
            metadata = ["service": "\(service)", "by": "\(creator)"]
        case .removed(let service):
            (level, message, metadata) = (.debug, "service instance removed", ["service": "\(service)"])
        case .failed(let service, let text):
            (level, message) = (.error, "service failed")
            metadata = ["service": "\(service)", "error": "\(text)"]
        }
    }
}
#endif
