import { dlopen, JSCallback, type Pointer, ptr } from 'bun:ffi';

/** Service states for the Service Control Manager: `dwCurrentState` of `SERVICE_STATUS` (winsvc.h). */
const STATE = { stopped: 1, startPending: 2, stopPending: 3, running: 4 } as const;
const SERVICE_WIN32_OWN_PROCESS = 0x10;
/** Controls that a running service accepts (`dwControlsAccepted`), and their codes. */
const ACCEPT_STOP = 1;
const ACCEPT_SHUTDOWN = 4;
const CONTROL_STOP = 1;
const CONTROL_SHUTDOWN = 5;
/** The exit code is in `dwServiceSpecificExitCode`. */
const ERROR_SERVICE_SPECIFIC_ERROR = 1066;

/** Time allowed for starting or stopping; requests in flight have 10 s. */
const WAIT_HINT_MS = 20_000;
const POLL_MS = 20;
/** The return value of `WaitForSingleObject` for a running thread. */
const WAIT_TIMEOUT = 258;

function loadKernel32() {
  return dlopen('kernel32.dll', {
    CreateThread: { args: ['ptr', 'usize', 'ptr', 'ptr', 'u32', 'ptr'], returns: 'ptr' },
    GetModuleHandleW: { args: ['ptr'], returns: 'ptr' },
    GetProcAddress: { args: ['ptr', 'ptr'], returns: 'ptr' },
    WaitForSingleObject: { args: ['ptr', 'u32'], returns: 'u32' },
  }).symbols;
}

function loadAdvapi32() {
  return dlopen('advapi32.dll', {
    RegisterServiceCtrlHandlerW: { args: ['ptr', 'ptr'], returns: 'ptr' },
    SetServiceStatus: { args: ['ptr', 'ptr'], returns: 'i32' },
  }).symbols;
}

/**
 * This process as a Windows service. The manager calls back on its own threads; both callbacks continue on the event loop.
 * The memory and callbacks passed to the manager live as long as this object.
 */
export class ServiceControl {
  readonly #advapi32 = loadAdvapi32();
  readonly #name: Uint8Array;
  readonly #handler: JSCallback;
  readonly #serviceMain: JSCallback;
  readonly #table: BigUint64Array;
  readonly #started = Promise.withResolvers<void>();
  #handle: Pointer | bigint | null = null;

  private constructor(name: string, onStop: () => void) {
    this.#name = wideText(name);
    const onControl = (control: number) => {
      if (control !== CONTROL_STOP && control !== CONTROL_SHUTDOWN) return;
      this.#report(STATE.stopPending);
      onStop();
    };
    this.#handler = new JSCallback(onControl, { args: ['u32'], returns: 'void', threadsafe: true });
    const onMain = () => {
      this.#handle = this.#advapi32.RegisterServiceCtrlHandlerW(ptr(this.#name), this.#handler.ptr!);
      this.#report(STATE.startPending);
      this.#started.resolve();
    };
    // A ServiceMain may return while its service runs.
    this.#serviceMain = new JSCallback(onMain, { args: [], returns: 'void', threadsafe: true });
    // SERVICE_TABLE_ENTRYW: a name and a ServiceMain; two nulls end the table.
    this.#table = new BigUint64Array([BigInt(ptr(this.#name)), BigInt(this.#serviceMain.ptr!), 0n, 0n]);
  }

  /**
   * Connects a process that the Service Control Manager has started; the service is then starting. `onStop` is called when
   * it must stop or the system shuts down. @throws {Error} if the manager has not started this process
   */
  static async connect(name: string, onStop: () => void): Promise<ServiceControl> {
    const control = new ServiceControl(name, onStop);
    await control.#dispatch();
    return control;
  }

  /** Reports that the service accepts connections. */
  running(): void {
    this.#report(STATE.running, ACCEPT_STOP | ACCEPT_SHUTDOWN);
  }

  /** Reports the end of the service; an exit code other than 0 is a failure. */
  stopped(exitCode: number): void {
    this.#report(STATE.stopped, 0, exitCode);
  }

  /** Runs the dispatcher, which blocks its thread until the service has stopped, and waits for ServiceMain. */
  async #dispatch(): Promise<void> {
    const kernel32 = loadKernel32();
    const advapi32 = kernel32.GetModuleHandleW(ptr(wideText('advapi32.dll')));
    // It has the signature of a thread start routine: takes a pointer, returns 32 bits.
    const dispatcher = kernel32.GetProcAddress(advapi32, ptr(Buffer.from('StartServiceCtrlDispatcherW\0')));
    const thread = kernel32.CreateThread(null, 0, dispatcher, ptr(this.#table), 0, null);
    let isStarted = false;
    void this.#started.promise.then(() => {
      isStarted = true;
    });
    while (!isStarted) {
      if (kernel32.WaitForSingleObject(thread, 0) !== WAIT_TIMEOUT)
        throw new Error(
          'The Service Control Manager has not started this process: use sc.exe start meridian',
        );
      await Bun.sleep(POLL_MS);
    }
  }

  #report(state: number, accepted = 0, exitCode = 0): void {
    const isPending = state === STATE.startPending || state === STATE.stopPending;
    // SERVICE_STATUS
    const status = new Uint32Array([
      SERVICE_WIN32_OWN_PROCESS,
      state,
      accepted,
      exitCode === 0 ? 0 : ERROR_SERVICE_SPECIFIC_ERROR,
      exitCode,
      0, // checkpoint
      isPending ? WAIT_HINT_MS : 0,
    ]);
    this.#advapi32.SetServiceStatus(this.#handle, ptr(status));
  }
}

/** A text for Windows' wide-character functions: null-terminated UTF-16. */
function wideText(text: string): Uint8Array {
  return Buffer.from(`${text}\0`, 'utf16le');
}
