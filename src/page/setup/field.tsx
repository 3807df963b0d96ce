import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { into } from '../shell/form.tsx';
import { capital } from '../shell/format.ts';
import { fixedText, rows } from './setupState.ts';

/** Content in a card of its own, below a text. */
export const inCard = (content: JSX.Element, text?: string) => (
  <section class="card stack">
    {text !== undefined && <p>{text}</p>}
    {content}
  </section>
);

/** An error message that a screen reader announces at once. */
export const Problem = ({ text, id }: { readonly text: string | undefined; readonly id?: string }) => (
  <p class="problem" role="alert" {...(id === undefined ? {} : { id })}>
    {capital(text ?? '')}
  </p>
);

const TYPES = {
  text: { type: 'text' },
  // Browsers and the bridge disagree about valid addresses.
  url: { type: 'text', inputMode: 'url' },
  password: { type: 'password' },
  search: { type: 'search' },
} as const;

export type FieldProps = {
  readonly label: string;
  /** The owner of the field, if the page has several fields with this name. */
  readonly of?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: ComponentChildren;
  readonly problem?: string | undefined;
  readonly type?: keyof typeof TYPES;
  readonly autocomplete?: string;
  readonly required?: boolean;
  /** The setting of the field: a higher layer may fix it. */
  readonly path?: string;
  readonly mono?: boolean;
};

/** A text field with its hint and error. */
export const Field = ({
  label,
  of,
  value,
  onInput,
  hint,
  problem,
  type = 'text',
  autocomplete = 'off',
  required,
  path,
  mono,
}: FieldProps) => {
  const id = useId();
  const row = path === undefined ? undefined : rows.value.get(path);
  const note = path === undefined ? hint : fixedText(path) || hint;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {of !== undefined && <span class="unseen">, {of}</span>}
      </label>
      <input
        id={id}
        class={mono ? 'mono' : ''}
        {...TYPES[type]}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        autocomplete={autocomplete}
        autocapitalize="off"
        spellcheck={false}
        required={required ?? false}
        readOnly={row?.fixed ?? false}
        aria-invalid={problem !== undefined && problem !== ''}
        aria-describedby={`${id}-hint ${id}-problem`}
      />
      <p id={`${id}-hint`} class="quiet">
        {note}
      </p>
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
};

/** A text field bound to a signal. */
export const TextField = ({ text, ...props }: Omit<FieldProps, 'value' | 'onInput'> & { readonly text: Signal<string> }) => (
  <Field {...props} value={text.value} onInput={into(text)} />
);
