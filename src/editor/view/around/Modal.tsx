import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../context.ts';

type Props = { readonly title: string; readonly children: ComponentChildren };

/** A modal dialog of the browser: it keeps the focus in itself, and Escape closes it. */
export const Modal = ({ title, children }: Props) => {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    store.dialog.value = undefined;
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
};
