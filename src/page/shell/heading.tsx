import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

let isFirst = true;

/** The heading of a page: takes the focus when the page is opened from another one, and gives the window its title. */
export const Heading = ({
  text,
  children,
  unseen = false,
}: {
  readonly text: string;
  readonly children?: ComponentChildren;
  readonly unseen?: boolean;
}) => {
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
      {children ?? text}
    </h1>
  );
};
