import type { BlockList } from 'node:net';
import { isIn, plainAddress, sourceOf } from './clientAddress.ts';

/** A browser opens 6 connections to a server; people have several tabs. */
export const MOST_OF_ONE = 20;
export const MOST_OF_ALL = 100;

/** Bounds the connections of one client and of all, so that no client can take the page away from the others. One that was let in counts among all only. */
export class ConnectionLimit {
  readonly #trusted: BlockList;
  /** The connections of each source that were not let in. */
  readonly #open = new Map<string, Set<object>>();
  #all = 0;

  /** Connections of `trusted` proxies are of many clients. */
  constructor(trusted: BlockList) {
    this.#trusted = trusted;
  }

  /** True while no further client gets a connection. */
  get isFull(): boolean {
    return this.#all >= MOST_OF_ALL;
  }

  /** Counts a connection until it is closed; false where it is one too many. */
  takes(socket: Connection): boolean {
    const address = plainAddress(socket.remoteAddress);
    const open = this.#open.get(sourceOf(address)) ?? new Set();
    if (this.isFull || (open.size >= MOST_OF_ONE && !isIn(this.#trusted, address))) return false;
    this.#all += 1;
    this.#open.set(sourceOf(address), open.add(socket));
    socket.once('close', () => {
      this.#all -= 1;
      this.#leave(socket, address);
    });
    return true;
  }

  /** A request on this connection was let in: its login is right, or none is needed. */
  letIn(socket: Connection): void {
    this.#leave(socket, plainAddress(socket.remoteAddress));
  }

  #leave(socket: Connection, address: string): void {
    const open = this.#open.get(sourceOf(address));
    open?.delete(socket);
    if (open?.size === 0) this.#open.delete(sourceOf(address));
  }
}

type Connection = { readonly remoteAddress?: string | undefined; once(event: 'close', listener: () => void): unknown };
