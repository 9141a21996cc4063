/* hymg_options_parse: what is refused has a text and leaves the options as they were; what is taken
 * is taken again from the default with the same result. */
#include "fuzz/words.h"
#include "hymg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char text[WORDS_BYTES + 1] = "", error[256] = "";
  hymg_options first = hymg_options_default(), second = first;
  const size_t room = size ? data[0] : 0, length = size ? size - 1 : 0;
  if (length > WORDS_BYTES) return 0;
  if (length) memcpy(text, data + 1, length);
  error[sizeof error - 1] = 'x'; /* beyond the 255 bytes that a call may be given */
  const hymg_status status = hymg_options_parse(&first, text, room ? error : NULL, room);
  if (error[sizeof error - 1] != 'x' || (room && strlen(error) >= room)) abort();
  if (status != HYMG_OK && status != HYMG_EINVAL) abort();
  if (status == HYMG_EINVAL && room > 1 && !*error) abort();
  if (status == HYMG_OK && hymg_options_parse(&second, text, NULL, 0) != HYMG_OK) abort();
  if (memcmp(&first, &second, sizeof first) != 0) abort();
  return 0;
}
