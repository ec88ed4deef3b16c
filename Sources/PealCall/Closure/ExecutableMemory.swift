internal import CFFI

/// The code of libffi's closures.
enum ExecutableMemory {
    typealias Handler =
        @convention(c) (
            UnsafeMutablePointer<ffi_cif>?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            UnsafeMutableRawPointer?
        ) -> Void

    /// Makes a function that calls the handler with its arguments. The function is never freed.
    ///
    /// - Returns: nil where the system forbids code that is made at run time.
    static func closure(
        of interface: UnsafeMutablePointer<ffi_cif>, _ context: UnsafeMutableRawPointer, _ handler: @escaping Handler
    ) -> UnsafeRawPointer? {
        var code: UnsafeMutableRawPointer?
        guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code) else { return nil }
        let status = code.map {
            ffi_prep_closure_loc(memory.assumingMemoryBound(to: ffi_closure.self), interface, handler, context, $0)
        }
        guard status == FFI_OK else {
            ffi_closure_free(memory)
            return nil
        }
        return UnsafeRawPointer(code)
    }

    /// Fills the room of a closure's result with zeros: at least a register, because libffi widens smaller results to
    /// that.
    static func clear(_ result: UnsafeMutableRawPointer, size: Int) {
        guard size > 0 else { return }
        result.initializeMemory(as: UInt8.self, repeating: 0, count: max(size, MemoryLayout<ffi_arg>.size))
    }
}
