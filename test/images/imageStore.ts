import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Of `statfs`: a file system in layers, which cannot hold the layers of another one. */
const OVERLAYFS = 0x79_4c_76_30;

/** Runs a program to its end, and gives what it prints. Throws with the end of its messages where it fails. */
export const run = (program: string, args: readonly string[], options: { readonly cwd?: string } = {}): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return stdout.trim();
  throw new Error(`${[program, ...args].join(' ')} ended with ${status}: ${error?.message ?? `${stdout}${stderr}`.slice(-3000)}`);
};

/** What an image is started with. */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Volumes?: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
};

/** Images of these tests alone, away from those of the machine. */
export class ImageStore {
  /** For whatever is made beside the images. */
  readonly folder: string;

  constructor() {
    // In a container /tmp often is in layers itself, and the checkout is not.
    const parent = statfsSync(tmpdir()).type === OVERLAYFS ? resolve('data') : tmpdir();
    mkdirSync(parent, { recursive: true });
    this.folder = mkdtempSync(join(parent, 'h2m-images-'));
  }

  buildah(...args: readonly string[]): string {
    return run('buildah', ['--root', join(this.folder, 'images'), '--runroot', join(this.folder, 'run'), ...args]);
  }

  /** Makes an image of a folder, under this name. */
  importFolder(folder: string, name: string, arch: string): void {
    const container = this.buildah('from', 'scratch');
    this.buildah('add', '--quiet', container, folder, '/');
    this.buildah('config', '--os', 'linux', '--arch', arch, '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
    this.buildah('commit', '--quiet', '--rm', container, name);
  }

  inspect(image: string): { readonly architecture: string; readonly config: ImageConfig } {
    return JSON.parse(this.buildah('inspect', '--type', 'image', image)).Docker;
  }

  /** Makes the files of an image visible in a folder, until `close`. */
  mount(image: string): string {
    return this.buildah('mount', this.buildah('from', '--pull-never', image));
  }

  close(): void {
    this.buildah('umount', '--all');
    this.buildah('rm', '--all');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
