import { Fragment } from 'preact';

/** The name of a topic or feature, with line breaks allowed between its levels. */
export const breakable = (name: string) =>
  name.split(/(?<=[./])/u).map((level, index) => (
    <Fragment key={`${index} ${level}`}>
      {index > 0 && <wbr />}
      {level}
    </Fragment>
  ));
