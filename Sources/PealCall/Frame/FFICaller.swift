internal import CFFI
internal import CPealSupport

/// How libffi calls functions of one shape.
///
/// `ffi_call` decides at each call where each argument goes. Since version 3.7 libffi has reusable plans, which do that
/// once. Both calls have the same parameters but for the first, so a broadcast makes either without a test.
@usableFromInline
struct FFICaller: BitwiseCopyable {
    /// `ffi_call` or `ffi_call_plan_invoke`. Parameters: the interface, the function, room for the result, the slots.
    @usableFromInline typealias Invoke =
        @convention(c) (
            UnsafeMutableRawPointer, @convention(c) () -> Void, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>
        ) -> Void

    @usableFromInline let invoke: Invoke
    /// libffi's call interface, or its plan. A plan is never freed.
    @usableFromInline let interface: UnsafeMutableRawPointer

    /// - Parameter reusesPlan: False for shapes that frames carry: `ffi_call` is for comparisons there.
    init(_ interface: UnsafeMutablePointer<ffi_cif>, reusesPlan: Bool) {
        if reusesPlan, let plans = Self.plans, let plan = plans.allocate(interface) {
            self.invoke = plans.invoke
            self.interface = plan
        } else {
            self.invoke = unsafeBitCast(Self.call, to: Invoke.self)
            self.interface = UnsafeMutableRawPointer(interface)
        }
    }

    private typealias Call =
        @convention(c) (
            UnsafeMutablePointer<ffi_cif>?, (@convention(c) () -> Void)?, UnsafeMutableRawPointer?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Void
    private typealias Allocate = @convention(c) (UnsafeMutablePointer<ffi_cif>) -> UnsafeMutableRawPointer?

    private static var call: Call { ffi_call }

    /// The functions of the libffi that `ffi_call` is from, since a process may have several; nil before 3.7.
    private static let plans: (allocate: Allocate, invoke: Invoke)? = {
        let library = unsafeBitCast(call, to: UnsafeRawPointer.self)
        guard let allocate = peal_object_symbol(library, "ffi_call_plan_alloc"),
            let invoke = peal_object_symbol(library, "ffi_call_plan_invoke")
        else { return nil }
        return (unsafeBitCast(allocate, to: Allocate.self), unsafeBitCast(invoke, to: Invoke.self))
    }()
}
