import type { ComponentChildren } from 'preact';

type FactsProps = {
  readonly class?: string;
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
};

/** Names, each with its value. */
export const Facts = ({ class: name = '', rows }: FactsProps) => (
  <dl class={name}>
    {rows.map(([title, value], index) => (
      <div key={`${title} ${index}`}>
        <dt dir="auto">{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
