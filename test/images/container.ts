import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from './imageStore.ts';

/** Folders of this machine, by their place in the container. */
type Volumes = Readonly<Record<string, string>>;

/** An address of this machine that a container calls by the name of Home Assistant's Supervisor. */
export const SUPERVISOR = '127.77.0.2';

/** Mounts, as `docker run --read-only --tmpfs /tmp` has them, in namespaces of mounts and processes; then the image's process, as PID 1. */
const START = `
root=$1 volumes=$2; shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
for volume in $volumes; do mount --bind "\${volume#*:}" "$root\${volume%%:*}"; done
exec chroot "$root" "$@"
`;

/** The user of the image, without any capability or a way to one; the environment of the image alone. */
const asUser = ({ User, Env }: ImageConfig, command: readonly string[]): readonly string[] => [
  ...['/usr/bin/setpriv', `--reuid=${User}`, `--regid=${User}`, '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'],
  ...['/usr/bin/env', '-i', ...Env, ...command],
];

/** A running image. `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges` does the same. */
export class Container {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #config: ImageConfig;
  #text = '';

  /** Starts the image that is mounted at `root`, with further variables. */
  constructor(root: string, image: ImageConfig, volumes: Volumes, env: readonly string[] = []) {
    const config = { ...image, Env: [...image.Env, ...env] };
    this.#config = config;
    // As Docker makes them.
    writeFileSync(join(root, '.dockerenv'), '');
    writeFileSync(join(root, 'etc/hosts'), `127.0.0.1 localhost\n${SUPERVISOR} supervisor\n`);
    writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
    for (const place of Object.keys(volumes)) mkdirSync(join(root, place), { recursive: true });
    const mounts = Object.entries(volumes).map(([place, folder]) => `${place}:${folder}`);
    this.#process = spawn('unshare', [
      ...['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'],
      ...['sh', '-ec', START, 'sh', root, mounts.join(' '), ...asUser(config, [...config.Entrypoint, ...config.Cmd])],
    ]);
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream.on('data', (chunk) => {
        this.#text += String(chunk);
      });
    }
  }

  /** What it has printed so far. */
  get text(): string {
    return this.#text;
  }

  /** Resolves when it has printed this. Rejects when it ends before. */
  async printed(words: string): Promise<void> {
    while (!this.#text.includes(words)) {
      if (this.#process.exitCode !== null) throw new Error(`ended without "${words}": ${this.#text}`);
      await Promise.race([once(this.#process.stdout, 'data'), once(this.#process.stderr, 'data'), once(this.#process, 'exit')]);
    }
  }

  /** The id of its first process, as this machine sees it. */
  get pid(): number {
    const { pid } = this.#process;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
  }

  /** A line of what the kernel tells of its first process. */
  status(name: string): string {
    return (
      new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]?.replaceAll('\t', ' ') ?? ''
    );
  }

  /** Runs a command in it, as its user. */
  exec(command: readonly string[]): { readonly code: number | null; readonly text: string } {
    const { status, stdout, stderr } = spawnSync(
      'nsenter',
      ['--target', String(this.pid), '--mount', '--pid', '--root', '--wd', ...asUser(this.#config, command)],
      { encoding: 'utf8' },
    );
    return { code: status, text: stdout + stderr };
  }

  /** Ends it as `docker stop` does, and gives its exit code. */
  async stop(): Promise<number | null> {
    process.kill(this.pid, 'SIGTERM');
    return this.ended();
  }

  async ended(): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
    return this.#process.exitCode;
  }

  /** Ends it whatever it does. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
