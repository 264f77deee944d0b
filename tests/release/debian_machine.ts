import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs once when the system is up, and then turns it off. Confirms one prompt: that of `apt install`. */
const UNIT = `[Unit]
Description=The script of a test
After=network.target nginx.service
SuccessAction=poweroff
FailureAction=poweroff

[Service]
Type=oneshot
WorkingDirectory=/root
Environment=HOME=/root DEBIAN_FRONTEND=noninteractive
ExecStart=/bin/bash -eu -o pipefail /root/script
StandardInput=data
StandardInputText=y
StandardOutput=file:/root/stdout
StandardError=file:/root/stderr
TimeoutStartSec=600
`;

/** Installs a minimal Debian with systemd from a mirror. */
export async function installDebian(root: string): Promise<void> {
  const packages = 'systemd,systemd-sysv,dbus,curl,nginx-light,minisign,rpm';
  await Bun.$`mmdebstrap --quiet --variant=minbase --include=${packages} bookworm ${root}`;
}

/**
 * Boots a copy of a Debian root in a container without a network, runs a script as root in /root, with the given files there,
 * and returns its stdout. Throws an Error with its stderr and the end of the journal if it fails.
 */
export async function runBooted(
  root: string,
  script: string,
  files: readonly string[],
): Promise<readonly string[]> {
  const machine = `${root}-booted-${crypto.randomUUID().slice(0, 8)}`;
  await Bun.$`cp -a ${root} ${machine}`;
  try {
    const home = join(machine, 'root');
    for (const file of files) cpSync(file, join(home, file.split('/').at(-1)!)); // split returns at least one part
    writeFileSync(join(home, 'script'), `${script}\necho completed\n`);
    const units = join(machine, 'etc/systemd/system');
    writeFileSync(join(units, 'script.service'), UNIT);
    mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true });
    symlinkSync('/etc/systemd/system/script.service', join(units, 'multi-user.target.wants/script.service'));
    chmodSync(machine, 0o755);
    const options = ['--register=no', '--keep-unit', '--private-network', '--console=pipe'];
    await Bun.$`timeout 900 systemd-nspawn --quiet --directory=${machine} ${options} --boot < /dev/null`
      .env({ ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1' })
      .nothrow()
      .quiet();
    const read = (name: string) => readFileSync(join(home, name), 'utf8');
    const lines = read('stdout').trimEnd().split('\n');
    if (lines.pop() !== 'completed') throw new Error(`${read('stdout')}\n${read('stderr').slice(-4000)}`);
    return lines;
  } finally {
    rmSync(machine, { recursive: true, force: true });
  }
}
