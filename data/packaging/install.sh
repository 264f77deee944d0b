#!/bin/sh
# Verifies and installs the package of a release for this system, writes its configuration and starts it.
# usage, as root in the folder of the release: sh install.sh --public-key FILE [-- FLAGS OF meridian init]
set -eu

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

key=
while [ $# -gt 0 ]; do
    case $1 in
        --public-key) key=${2:?--public-key requires a file}; shift 2 ;;
        --) shift; break ;;
        *) fail "unknown argument $1" ;;
    esac
done
[ -n "$key" ] || fail 'which key signed the release? --public-key FILE'
command -v minisign >/dev/null || fail 'minisign is missing'
minisign -Vq -p "$key" -m SHA256SUMS || fail 'the signature of SHA256SUMS is not valid'

machine=$(uname -m)
if command -v apt-get >/dev/null; then
    case $machine in x86_64) machine=amd64 ;; aarch64) machine=arm64 ;; esac
    pattern="meridian_[^ ]*_$machine\\.deb"
    install='apt-get install --yes'
elif command -v dnf >/dev/null; then
    pattern="meridian-[^ ]*\\.$machine\\.rpm"
    install='dnf install --assumeyes'
elif command -v apk >/dev/null; then
    pattern="meridian-[^ ]*\\.$machine\\.apk"
    install='apk add --allow-untrusted' # its checksum is signed
else
    fail 'this system has neither apt, dnf nor apk: use an archive'
fi
line=$(grep "  $pattern\$" SHA256SUMS) || fail "the release has no package for $machine"
echo "$line" | sha256sum -c - >&2 || fail 'the package is missing, or not the one of the release'
$install "./${line##* }"

# An upgrade keeps the configuration, and the package has handed over to the new executable.
start=start
if [ $# -gt 0 ]; then
    meridian init --force --output /etc/meridian/meridian.toml --state-dir /var/lib/meridian "$@"
    start=restart
fi
if command -v systemctl >/dev/null; then
    systemctl enable meridian
    systemctl $start meridian
else
    rc-update add meridian
    rc-service meridian $start
fi
