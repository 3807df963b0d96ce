import { EventEmitter } from 'node:events';
import type { BridgeView } from '../../../src/bridge/bridgeView.ts';

/** A bridge that says what a test tells it. */
export class FakeView extends EventEmitter {
  readonly base: string;
  readonly said = new Map<string, string>();

  constructor(base = 'base') {
    super();
    this.base = base;
  }

  topics(): Map<string, string> {
    return new Map(this.said);
  }

  payloadOf(topic: string): string | undefined {
    return this.said.get(topic);
  }

  /** Publishes retained topics; null clears one. */
  say(...changes: readonly (readonly [topic: string, payload: string | null])[]): void {
    for (const [topic, payload] of changes) {
      if (payload === null) this.said.delete(topic);
      else this.said.set(topic, payload);
    }
    for (const [topic] of changes) this.emit('topic', topic);
  }

  get asBridge(): BridgeView {
    return this as unknown as BridgeView;
  }
}
