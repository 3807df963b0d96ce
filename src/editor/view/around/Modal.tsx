import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useStore } from '../context.ts';

type Props = { readonly title: string; readonly children: ComponentChildren };

/** A modal dialog of the browser: it keeps the focus in itself, and Escape closes it. */
export const Modal = ({ title, children }: Props) => {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // Closed while it is still there, the browser gives the focus back to where it was.
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={() => store.show()}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
};
