/** The colors of the output. */
export type Paint = 'cyan' | 'yellow' | 'magenta' | 'blue' | 'green' | 'red' | 'dim';
