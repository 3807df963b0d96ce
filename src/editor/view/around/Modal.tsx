import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useStore } from '../context.ts';

type Props = { readonly title: string; readonly children: ComponentChildren };

/** A modal browser dialog: it traps the focus, and Escape closes it. */
export const Modal = ({ title, children }: Props) => {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Close before unmounting: the browser then restores the focus.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={() => store.show()}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
};
