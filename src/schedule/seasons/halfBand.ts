/** Half of the hysteresis of seasons, 2 K. In a file that the page can import too. */
export const HALF_BAND_K = 1;
