import { mdiArrowLeft } from '@mdi/js';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { linkTo } from './route.ts';

let isFirst = true;

/** Focuses the page heading if the focused element is gone, for example a pressed button. */
export const focusHeading = (): void => document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true });

/** The link back to a list. */
export const Back = ({ to, text }: { readonly to: string; readonly text: string }) => (
  <p>
    <a class="back" href={linkTo(to)}>
      <Icon path={mdiArrowLeft} />
      {text}
    </a>
  </p>
);

/** The page heading: takes the focus after navigation and sets the window title. */
export const Heading = ({ text, unseen = false }: { readonly text: string; readonly unseen?: boolean }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · heating2mqtt`;
  }, [text]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
    scrollTo(0, 0);
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class={unseen ? 'unseen' : ''}>
      {text}
    </h1>
  );
};
