import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { announce } from '../shell/announcer.tsx';
import { words } from './setupState.ts';

/** On a phone, beside a button: no word is broken. */
const CHARACTERS_A_ROW = 20;

/** The rows that show a text in full, for browsers without `field-sizing`. */
export const rowsFor = (text: string): number => Math.ceil(text.length / CHARACTERS_A_ROW);

/** A text to copy, shown in full. Without a secure context there is no clipboard: the text is selected. */
export const CopyField = ({ label, value, lines = 1 }: { readonly label: string; readonly value: string; readonly lines?: number }) => {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const said = useSignal('');
  const w = words.value;
  const copy = async (): Promise<void> => {
    area.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      said.value = words.value.copied;
    } catch {
      // Deprecated, but the only way on plain HTTP.
      said.value = document.execCommand('copy') ? words.value.copied : words.value.copyByHand;
    }
    announce(said.value);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy">
        <textarea
          {...{ id, ref: area, readOnly: true, value }}
          {...(lines === 1
            ? { class: 'mono whole', rows: rowsFor(value), onFocus: () => area.current?.select() }
            : { class: 'mono', rows: lines, wrap: 'off' })}
        />
        <Button text={w.copy} onClick={() => void copy()} />
      </div>
      <p class="quiet">{said.value}</p>
    </div>
  );
};
