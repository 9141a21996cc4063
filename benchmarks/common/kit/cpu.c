/* Ends a program before main() if the library was compiled for another CPU. Compiled for any CPU. */
#include <stdio.h>
#include <stdlib.h>

#include <hymg.h>

__attribute__((constructor)) static void require_cpu(void)
{
  hymg_context *context = NULL;
  const hymg_status status = hymg_context_create(NULL, &context);
  hymg_context_destroy(&context);
  if (status != HYMG_ECPU) return;
  fprintf(stderr, "%s; compiled with %s; configure with --cpu-arch=x86-64 for any CPU\n",
          hymg_status_text(status), hymg_build_info().flags);
  _Exit(1);
}
