/** What the host says of its own clock, by which all answers about the present are given. */
export interface HostClock {
  /** Something (chrony, systemd-timesyncd, ntpd, a hypervisor) keeps the clock right. */
  readonly isSynchronized: boolean;
  /** How far the clock is off at most, by the kernel's own count. */
  readonly maxErrorSeconds: number;
}
